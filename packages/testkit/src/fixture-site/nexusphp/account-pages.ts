import type { Reply } from '../http.ts';
import { markup } from '../markup.ts';
import type { SiteContext } from '../site-context.ts';
import { memberPage } from './layout.ts';

/** `usercp.php`: the control panel, with e-mail and passkey in plain text. */
export function accountPage(context: SiteContext): Reply {
  const { email, passkey } = context.account;
  return memberPage(
    '控制面板',
    markup`<h1>控制面板</h1><table border="0" cellspacing="0" cellpadding="5" width="940"><tbody>
<tr><td class="rowhead nowrap">加入日期</td><td class="rowfollow">2019-04-17 21:05:44</td></tr>
<tr><td class="rowhead nowrap">邮箱地址</td><td class="rowfollow">${email}</td></tr>
<tr><td class="rowhead nowrap">IP 地址</td><td class="rowfollow">203.0.113.77</td></tr>
<tr><td class="rowhead nowrap">密钥</td><td class="rowfollow">${passkey}</td></tr>
<tr><td class="rowhead nowrap">RSS订阅</td><td class="rowfollow"><a href="torrentrss.php?rows=10&amp;linktype=dl&amp;passkey=${passkey}">torrentrss.php?rows=10&amp;linktype=dl&amp;passkey=${passkey}</a></td></tr>
</tbody></table>`,
    context,
  );
}

/** `userdetails.php`: the member's own profile. */
export function profilePage(context: SiteContext): Reply {
  const { email, passkey, username } = context.account;
  return memberPage(
    `用户详情 - ${username}`,
    markup`<h1><span class="nowrap"><b>${username}</b></span></h1><table width="100%" border="1" cellspacing="0" cellpadding="5"><tbody>
<tr><td class="rowhead">等级</td><td class="rowfollow"><img alt="Power User" title="Power User" src="pic/power.gif"></td></tr>
<tr><td class="rowhead">邮箱</td><td class="rowfollow"><a href="mailto:${email}">${email}</a></td></tr>
<tr><td class="rowhead">传输</td><td class="rowfollow"><b>分享率:</b> 3.281 <b>上传量:</b> 8.204 TB <b>下载量:</b> 2.500 TB</td></tr>
<tr><td class="rowhead">密钥</td><td class="rowfollow"><span id="passkey">${passkey}</span></td></tr>
<tr><td class="rowhead">魔力值</td><td class="rowfollow">18,402.7</td></tr></tbody></table>`,
    context,
  );
}
