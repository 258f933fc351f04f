import type { Reply, SiteRequest } from '../http.ts';
import { markup } from '../markup.ts';
import type { PageMode, SiteContext } from '../site-context.ts';
import { sizeParts } from '../sizes.ts';
import { categories } from '../works.ts';
import { memberPage, notice } from './layout.ts';
import { downloadPath, promotionIcon } from './list.ts';
import { localTime } from './times.ts';

/** `details.php?id=`: one torrent, with the download link and the same link to copy. */
export function detailsPage(request: SiteRequest, context: SiteContext, mode: PageMode): Reply {
  const torrent = context.catalogue.find(request.query.get('id') ?? '');
  if (torrent === undefined) return memberPage('错误', notice('错误', '没有该ID的种子。'), context);
  const { id, name, subtitle, seeders, leechers, grabs, infoHashV1 } = torrent;
  const [amount, unit] = sizeParts(torrent.sizeBytes);
  const path = downloadPath(torrent, context);
  const link = mode.restructured
    ? markup`<button type="button" class="seed-get" data-seed="${id}">获取种子文件</button>`
    : markup`<a class="index" href="${path}">${torrent.fileName}</a>`;
  const copy = mode.restructured ? null : markup` <a href="${path}" title="右键复制下载链接">[右键复制]</a>`;
  return memberPage(
    `种子详情 "${name}"`,
    markup`<h1 align="center" id="top">${name}&nbsp;&nbsp;&nbsp;${promotionIcon(torrent)}</h1>
<table width="97%" cellspacing="0" cellpadding="5"><tbody>
<tr><td class="rowhead" width="13%">下载</td><td class="rowfollow" width="87%" align="left">${link}&nbsp;&nbsp;由&nbsp;<i>${torrent.uploader}</i> 发布于 <span title="${localTime(torrent.publishedAt)}">${localTime(torrent.publishedAt)}</span></td></tr>
<tr><td class="rowhead">副标题</td><td class="rowfollow" align="left">${subtitle}</td></tr>
<tr><td class="rowhead">基本信息</td><td class="rowfollow" align="left"><b>大小：</b>${amount} ${unit}B&nbsp;&nbsp;&nbsp;<b>类型:</b>&nbsp;${categories[torrent.category].zh}/${categories[torrent.category].en}</td></tr>
<tr><td class="rowhead">行为</td><td class="rowfollow" align="left">${copy} <a href="report.php?torrent=${id}" title="举报该种子">举报种子</a>
<form method="post" action="thanks.php" style="display: inline"><input type="hidden" name="id" value="${id}"><input class="btn" type="submit" id="saythanks" value="&nbsp;&nbsp;说谢谢&nbsp;&nbsp;"></form>${request.query.has('thanked') && markup` <b>感谢成功！</b>`}</td></tr>
<tr><td class="rowhead">简介</td><td class="rowfollow" align="left"><div id="kdescr">◎译　名　${subtitle.split(' | ')[0] ?? ''}<br>◎片　名　${name.replaceAll('.', ' ')}<br>◎语　言　原声 / 国语<br>◎字　幕　中文 / 英文</div></td></tr>
<tr><td class="rowhead">种子信息</td><td class="rowfollow" align="left"><b>文件数：</b>1&nbsp;&nbsp;<b>Hash码:</b>&nbsp;${infoHashV1}</td></tr>
<tr><td class="rowhead">热度表</td><td class="rowfollow" align="left"><b>完成: </b><a href="viewsnatches.php?id=${id}"><b>${grabs}</b> 次</a></td></tr>
<tr><td class="rowhead">同伴</td><td class="rowfollow" align="left"><div id="peercount"><b>${seeders}个做种者</b> | <b>${leechers}个下载者</b></div></td></tr>
</tbody></table>`,
    context,
  );
}
