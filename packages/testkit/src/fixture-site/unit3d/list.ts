import type { Reply, SiteRequest } from '../http.ts';
import { markup, type Markup } from '../markup.ts';
import type { PageMode } from '../site-context.ts';
import { compare } from '../order.ts';
import { sizeParts } from '../sizes.ts';
import type { FixtureTorrent, Promotion } from '../torrents.ts';
import { categories } from '../works.ts';
import { memberPage, type Viewer } from './layout.ts';

const icons: Readonly<Record<Exclude<Promotion, 'none'>, { icon: string; title: string }>> = {
  free: { icon: 'fa-star text-gold', title: 'Freeleech' },
  double_free: { icon: 'fa-certificate text-pink', title: 'Featured' },
  double: { icon: 'fa-gem text-green', title: 'Double upload' },
  half: { icon: 'fa-percent text-orange', title: '50% Freeleech' },
};

const orders: Readonly<Record<string, (torrent: FixtureTorrent) => number | string>> = {
  name: ({ name }) => name.toLowerCase(),
  created_at: ({ publishedAt }) => publishedAt.getTime(),
  size: ({ sizeBytes }) => sizeBytes,
  seeders: ({ seeders }) => seeders,
  leechers: ({ leechers }) => leechers,
  times_completed: ({ grabs }) => grabs,
};

/** `/torrents`: search by `name`, `categories[]`, `free[]`, with order and pages from 1. */
export function listPage(request: SiteRequest, viewer: Viewer, mode: PageMode): Reply {
  const { query } = request;
  const found = search(query, viewer);
  const perPage = Math.min(100, Math.max(1, Number(query.get('perPage')) || 25));
  const last = Math.max(1, Math.ceil(found.length / perPage));
  const number = Math.min(last, Math.max(1, Math.floor(Number(query.get('page'))) || 1));
  const shown = found.slice((number - 1) * perPage, number * perPage);
  return memberPage(
    'Torrents',
    markup`${searchForm(query, viewer)}
<section class="panelV2"><header class="panel__header"><h2 class="panel__heading">Torrents</h2></header>
${mode.restructured ? cards(shown, viewer) : table(shown, viewer)}
${pager(query, { number, last, total: found.length }, viewer)}</section>`,
    viewer,
  );
}

function search(query: URLSearchParams, { context }: Viewer): FixtureTorrent[] {
  const words = (query.get('name') ?? '')
    .toLowerCase()
    .split(/[\s.]+/)
    .filter((word) => word !== '');
  const wanted = [...query].filter(([name]) => /^categories\[\d*\]$/.test(name)).map(([, id]) => id);
  const order = orders[query.get('sortField') ?? 'created_at'] ?? orders['created_at'];
  const sign = query.get('sortDirection') === 'asc' ? 1 : -1;
  const found = context.catalogue.torrents.filter(
    (torrent) =>
      words.every((word) => torrent.name.toLowerCase().includes(word)) &&
      (wanted.length === 0 || wanted.includes(String(categories[torrent.category].unitId))) &&
      (!query.getAll('free[]').includes('100') || torrent.promotion.endsWith('free')),
  );
  return order === undefined ? found : found.toSorted((one, other) => compare(order(one), order(other), sign));
}

function table(torrents: readonly FixtureTorrent[], viewer: Viewer): Markup {
  return markup`<div class="data-table-wrapper torrent-search--list__results"><table class="data-table"><thead><tr>
<th class="torrent-search--list__format-header">Format</th><th class="torrent-search--list__name-header">Name</th><th>Actions</th><th>Size</th><th><i class="fas fa-arrow-alt-circle-up" title="Seeders"></i></th><th><i class="fas fa-arrow-alt-circle-down" title="Leechers"></i></th><th><i class="fas fa-check-circle" title="Completed"></i></th><th>Age</th></tr></thead>
<tbody>${torrents.length === 0 ? markup`<tr><td colspan="8">No torrents found</td></tr>` : torrents.map((torrent) => row(torrent, viewer))}</tbody></table></div>`;
}

function row(torrent: FixtureTorrent, { base }: Viewer): Markup {
  const { id, name, sizeBytes, seeders, leechers, grabs, uploader } = torrent;
  const { unitId, en, icon } = categories[torrent.category];
  return markup`<tr class="torrent-search--list__row" data-torrent-id="${id}" data-category-id="${unitId}">
<td class="torrent-search--list__format"><a href="${base}/torrents?categories%5B0%5D=${unitId}"><i class="fas fa-${icon}" title="${en}"></i></a></td>
<td class="torrent-search--list__overview"><div><a class="torrent-search--list__name" href="${base}/torrents/${id}">${name}</a> <span class="torrent-search--list__uploader">by ${uploader}</span> <span class="torrent-icons">${promotionIcon(torrent)}</span></div></td>
<td class="torrent-search--list__buttons"><a class="torrent-search--list__file" href="${base}/torrents/download/${id}" title="Download"><i class="fas fa-download"></i></a></td>
<td class="torrent-search--list__size"><span title="${sizeBytes} B">${size(sizeBytes)}</span></td>
<td class="torrent-search--list__seeders"><a href="${base}/torrents/${id}/peers"><span>${seeders}</span></a></td>
<td class="torrent-search--list__leechers"><a href="${base}/torrents/${id}/peers"><span>${leechers}</span></a></td>
<td class="torrent-search--list__completed"><a href="${base}/torrents/${id}/history"><span>${grabs}</span></a></td>
<td class="torrent-search--list__age">${age(torrent.publishedAt)}</td></tr>`;
}

/** The same torrents in the markup of a redesign: no table, no row, other class names. */
function cards(torrents: readonly FixtureTorrent[], { base }: Viewer): Markup {
  return markup`<div class="browse-grid">${torrents.map(
    ({ id, name, sizeBytes, seeders, leechers, promotion }) => markup`
<article class="browse-card"><h3><a class="browse-card__title" href="${base}/torrents/${id}">${name}</a></h3><span class="browse-card__badge">${promotion === 'none' ? '' : icons[promotion].title}</span>
<ul><li>${size(sizeBytes)}</li><li>${seeders} seeding</li><li>${leechers} leeching</li></ul><a class="browse-card__get" href="${base}/torrents/download/${id}">Get</a></article>`,
  )}</div>`;
}

/** A size as this software prints it: `1.46 GiB`, the space unbreakable. */
export function size(bytes: number): string {
  const [amount, unit] = sizeParts(bytes);
  return `${amount}\u00a0${unit === '' ? 'B' : `${unit}iB`}`;
}

/** A time in words, with the exact one (UTC) in `datetime`. */
export function age(at: Date): Markup {
  const exact = at.toISOString().slice(0, 19).replace('T', ' ');
  return markup`<time datetime="${exact}" title="${exact}">${inWords(Date.now() - at.getTime())}</time>`;
}

/** The icon of a promotion, or nothing. */
export function promotionIcon({ promotion }: FixtureTorrent): Markup | null {
  if (promotion === 'none') return null;
  return markup`<i class="torrent-icons__promotion fas ${icons[promotion].icon}" title="${icons[promotion].title}"></i>`;
}

function inWords(ms: number): string {
  const units = [
    ['year', 31_536_000_000],
    ['month', 2_592_000_000],
    ['week', 604_800_000],
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
  ] as const;
  const unit = units.find(([, length]) => ms >= length);
  if (unit === undefined) return `${Math.max(1, Math.floor(ms / 1_000))} seconds ago`;
  const count = Math.floor(ms / unit[1]);
  return `${count} ${unit[0]}${count === 1 ? '' : 's'} ago`;
}

function searchForm(query: URLSearchParams, { base }: Viewer): Markup {
  return markup`<section class="panelV2 torrent-search__filters"><form class="form" method="GET" action="${base}/torrents">
<p class="form__group"><input id="name" class="form__text" name="name" placeholder=" " value="${query.get('name') ?? ''}"><label class="form__label" for="name">Name</label></p>
<fieldset class="form__fieldset"><legend class="form__legend">Category</legend>${Object.values(categories).map(
    ({ unitId, en }) =>
      markup`<label class="form__label"><input class="form__checkbox" type="checkbox" name="categories[]" value="${unitId}"> ${en}</label> `,
  )}</fieldset><label><input type="checkbox" name="free[]" value="100"> 100% Free</label> <button class="form__button">Search</button></form></section>`;
}

function pager(
  query: URLSearchParams,
  place: { number: number; last: number; total: number },
  { base }: Viewer,
): Markup {
  const link = (number: number) => {
    const next = new URLSearchParams(query);
    next.set('page', String(number));
    return `${base}/torrents?${next.toString()}`;
  };
  const { number, last, total } = place;
  return markup`<nav class="pagination" role="navigation" aria-label="Pagination Navigation">${number > 1 && markup`<a class="pagination__previous" href="${link(number - 1)}" rel="prev">Previous</a> `}
<span class="pagination__current">Page ${number} of ${last}</span> <span class="pagination__total">${total} results</span>${number < last && markup` <a class="pagination__next" href="${link(number + 1)}" rel="next">Next</a>`}</nav>`;
}
