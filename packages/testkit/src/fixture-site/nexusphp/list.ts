import type { Reply, SiteRequest } from '../http.ts';
import { markup, type Markup } from '../markup.ts';
import type { PageMode, SiteContext } from '../site-context.ts';
import { compare } from '../order.ts';
import { sizeParts } from '../sizes.ts';
import type { FixtureTorrent, Promotion } from '../torrents.ts';
import { categories } from '../works.ts';
import { memberPage } from './layout.ts';
import { localTime, timeAgo } from './times.ts';

const rowsPerPage = 25;

/** Icons of promotions, by the number that `spstate` asks for them. */
const promotionIcons: Readonly<
  Record<Exclude<Promotion, 'none'>, { icon: string; alt: string; title: string; spstate: string }>
> = {
  free: { icon: 'pro_free', alt: 'Free', title: '免费', spstate: '2' },
  double: { icon: 'pro_2up', alt: '2X', title: '2X', spstate: '3' },
  double_free: { icon: 'pro_free2up', alt: '2X Free', title: '2X免费', spstate: '4' },
  half: { icon: 'pro_50pctdown', alt: '50%', title: '50%', spstate: '5' },
};

const orders: Readonly<Record<string, (torrent: FixtureTorrent) => number | string>> = {
  '1': ({ name }) => name.toLowerCase(),
  '3': ({ comments }) => comments,
  '4': ({ publishedAt }) => publishedAt.getTime(),
  '5': ({ sizeBytes }) => sizeBytes,
  '6': ({ grabs }) => grabs,
  '7': ({ seeders }) => seeders,
  '8': ({ leechers }) => leechers,
};

/** `torrents.php`: search, filters, order, pages from 0. */
export function listPage(request: SiteRequest, context: SiteContext, mode: PageMode): Reply {
  const found = search(request.query, context);
  const last = Math.max(0, Math.ceil(found.length / rowsPerPage) - 1);
  const asked = Number(request.query.get('page') ?? 0);
  const number = Number.isInteger(asked) ? Math.min(Math.max(asked, 0), last) : 0;
  const shown = found.slice(number * rowsPerPage, (number + 1) * rowsPerPage);
  const pager = pages(request.query, { number, last, total: found.length });
  const rows = mode.restructured ? cards(shown, context) : table(shown, context);
  return memberPage(
    '种子',
    markup`${searchBox(request.query)}
${shown.length === 0 ? markup`<table class="main" width="737"><tr><td class="embedded"><h2>没有种子！</h2><p>没有符合条件的种子，请用准确的关键字重试。</p></td></tr></table>` : markup`${pager}${rows}${pager}`}`,
    context,
  );
}

function search(query: URLSearchParams, context: SiteContext): FixtureTorrent[] {
  const words = (query.get('search') ?? '')
    .toLowerCase()
    .split(/[\s.]+/)
    .filter((word) => word !== '');
  const wanted = Object.values(categories)
    .map(({ nexusId }) => String(nexusId))
    .filter((id) => query.has(`cat${id}`) || query.get('cat') === id);
  const promotion = query.get('spstate') ?? '0';
  const order = orders[query.get('sort') ?? '4'] ?? orders['4'];
  const found = context.catalogue.torrents.filter(
    (torrent) =>
      words.every((word) => `${torrent.name} ${torrent.subtitle}`.toLowerCase().includes(word)) &&
      (wanted.length === 0 || wanted.includes(String(categories[torrent.category].nexusId))) &&
      (promotion === '0' ||
        promotion === (torrent.promotion === 'none' ? '1' : promotionIcons[torrent.promotion].spstate)),
  );
  const sign = query.get('type') === 'asc' ? 1 : -1;
  return order === undefined ? found : found.toSorted((one, other) => compare(order(one), order(other), sign));
}

function table(torrents: readonly FixtureTorrent[], context: SiteContext): Markup {
  return markup`<table class="torrents" cellspacing="0" cellpadding="5" width="100%"><tbody>
<tr><td class="colhead" style="padding: 0px">类型</td><td class="colhead"><a href="?sort=1&amp;type=asc">标题</a></td>
<td class="colhead"><a href="?sort=3&amp;type=desc"><img class="comments" src="pic/trans.gif" alt="comments" title="评论数"></a></td>
<td class="colhead"><a href="?sort=4&amp;type=desc"><img class="time" src="pic/trans.gif" alt="time" title="存活时间"></a></td>
<td class="colhead"><a href="?sort=5&amp;type=desc"><img class="size" src="pic/trans.gif" alt="size" title="大小"></a></td>
<td class="colhead"><a href="?sort=7&amp;type=desc"><img class="seeders" src="pic/trans.gif" alt="seeders" title="种子数"></a></td>
<td class="colhead"><a href="?sort=8&amp;type=desc"><img class="leechers" src="pic/trans.gif" alt="leechers" title="下载数"></a></td>
<td class="colhead"><a href="?sort=6&amp;type=desc"><img class="snatched" src="pic/trans.gif" alt="snatched" title="完成数"></a></td>
<td class="colhead">发布者</td></tr>
${torrents.map((torrent) => row(torrent, context))}
</tbody></table>`;
}

function row(torrent: FixtureTorrent, context: SiteContext): Markup {
  const { id, name, subtitle, comments, seeders, leechers, grabs, uploader } = torrent;
  const category = categories[torrent.category];
  const [amount, unit] = sizeParts(torrent.sizeBytes);
  const details = `details.php?id=${id}&hit=1`;
  return markup`<tr class="${torrent.promotion === 'none' ? 'sticky_none' : `${torrent.promotion}_bg`}">
<td class="rowfollow nowrap" valign="middle" style="padding: 0px"><a href="?cat=${category.nexusId}"><img class="c_${torrent.category}" src="pic/cattrans.gif" alt="${category.en}" title="${category.zh}/${category.en}"></a></td>
<td class="rowfollow" width="100%" align="left"><table class="torrentname" width="100%"><tbody><tr><td class="embedded"><a title="${name}" href="${details}"><b>${name.length > 60 ? `${name.slice(0, 57)}...` : name}</b></a> ${promotionIcon(torrent)}<br><span>${subtitle}</span></td>
<td width="20" class="embedded" style="text-align: right" valign="middle"><a href="${downloadPath(torrent, context)}"><img class="download" src="pic/trans.gif" style="padding-bottom: 2px" alt="download" title="下载本种"></a> <a id="bookmark${id}" href="bookmark.php?torrentid=${id}"><img class="delbookmark" src="pic/trans.gif" alt="Unbookmarked" title="收藏"></a></td></tr></tbody></table></td>
<td class="rowfollow"><a href="comment.php?action=add&amp;pid=${id}&amp;type=torrent">${comments}</a></td>
<td class="rowfollow nowrap"><span title="${localTime(torrent.publishedAt)}">${timeAgo(torrent.publishedAt)}</span></td>
<td class="rowfollow">${amount}<br>${unit}B</td>
<td class="rowfollow" align="center">${seeders === 0 ? markup`<span class="red">0</span>` : markup`<b><a href="${details}&dllist=1#seeders">${seeders}</a></b>`}</td>
<td class="rowfollow">${leechers}</td>
<td class="rowfollow"><a href="viewsnatches.php?id=${id}"><b>${grabs}</b></a></td>
<td class="rowfollow"><span class="nowrap">${uploader}</span></td></tr>`;
}

/** The same torrents in the markup of a redesign: nothing that the definition's row selector knows. */
function cards(torrents: readonly FixtureTorrent[], context: SiteContext): Markup {
  return markup`<section class="seed-grid" data-view="cards">
${torrents.map((torrent) => {
  const [amount, unit] = sizeParts(torrent.sizeBytes);
  return markup`<article class="seed-card" data-seed="${torrent.id}"><h3 class="seed-card__name"><a href="details.php?id=${torrent.id}">${torrent.name}</a></h3>
<p class="seed-card__sub">${torrent.subtitle} ${promotionIcon(torrent)}</p>
<dl><dt>大小</dt><dd>${amount} ${unit}B</dd><dt>做种</dt><dd>${torrent.seeders}</dd><dt>下载</dt><dd>${torrent.leechers}</dd><dt>完成</dt><dd>${torrent.grabs}</dd></dl>
<a class="seed-card__get" href="${downloadPath(torrent, context)}">下载</a></article>`;
})}
</section>`;
}

/** Address of a torrent file as this software writes it into every page: with the passkey. */
export function downloadPath(torrent: FixtureTorrent, context: SiteContext): string {
  return `download.php?id=${torrent.id}&passkey=${context.account.passkey}`;
}

/** The icon of a promotion, or nothing. */
export function promotionIcon({ promotion }: FixtureTorrent): Markup | null {
  if (promotion === 'none') return null;
  const { icon, alt, title } = promotionIcons[promotion];
  return markup`<img class="${icon}" src="pic/trans.gif" alt="${alt}" title="${title}">`;
}

function searchBox(query: URLSearchParams): Markup {
  return markup`<form method="get" name="searchbox" action="torrents.php"><table border="1" class="searchbox" cellspacing="0" cellpadding="5" width="100%"><tbody><tr><td class="rowfollow" align="left">
${Object.values(categories).map(({ nexusId, zh, en }) => markup`<label><input type="checkbox" name="cat${nexusId}" value="1"><a href="?cat=${nexusId}">${zh}/${en}</a></label> `)}
</td></tr><tr><td class="rowfollow" align="left">搜索关键字：<input id="searchinput" name="search" type="text" value="${query.get('search') ?? ''}">
<select name="spstate"><option value="0">全部</option><option value="1">普通</option><option value="2">免费</option><option value="3">2X</option><option value="4">2X免费</option><option value="5">50%</option></select>
<input type="submit" class="btn" value="给我搜"></td></tr></tbody></table></form>`;
}

function pages(query: URLSearchParams, place: { number: number; last: number; total: number }): Markup {
  const link = (number: number) => {
    const next = new URLSearchParams(query);
    next.set('page', String(number));
    return `?${next.toString()}`;
  };
  const { number, last, total } = place;
  return markup`<p align="center">${number > 0 ? markup`<a href="${link(number - 1)}"><b>&lt;&lt;&nbsp;上一页</b></a>` : markup`<font class="gray"><b>&lt;&lt;&nbsp;上一页</b></font>`}
 <b>${number * rowsPerPage + 1}&nbsp;-&nbsp;${Math.min(total, (number + 1) * rowsPerPage)}</b> / ${total}
 ${number < last ? markup`<a href="${link(number + 1)}"><b>下一页&nbsp;&gt;&gt;</b></a>` : markup`<font class="gray"><b>下一页&nbsp;&gt;&gt;</b></font>`}</p>`;
}
