import { page, type Reply } from '../http.ts';
import { markup, type Markup } from '../markup.ts';
import type { SiteContext } from '../site-context.ts';

/** Name of the site in its titles. */
const siteName = '灯塔 FixturePT';

/** A page for a logged-in member: user bar, menu, content. */
export function memberPage(title: string, content: Markup, context: SiteContext): Reply {
  const { uid, username } = context.account;
  return page(
    frame(
      title,
      markup`
<table id="info_block" cellpadding="4" cellspacing="0" border="0" width="100%"><tr><td><table width="100%"><tr>
<td class="bottom" align="left"><span class="medium">欢迎回来, <span class="nowrap"><a href="userdetails.php?id=${uid}" class="PowerUser_Name"><b>${username}</b></a></span>
 [<a href="logout.php">退出</a>] [<a href="torrents.php?inclbookmarked=1&amp;allsec=1&amp;incldead=0">收藏</a>]
 <font class="color_bonus">魔力值 </font>[<a href="mybonus.php">使用</a>]: 18,402.7
 <font class="color_invite">邀请 </font>[<a href="invite.php?id=${uid}">发送</a>]: 2<br>
 <font class="color_ratio">分享率：</font> 3.281 <font class="color_uploaded">上传量：</font> 8.204 TB
 <font class="color_downloaded"> 下载量：</font> 2.500 TB
 <font class="color_active">当前活动：</font> <img class="arrowup" alt="Torrents seeding" title="当前做种" src="pic/trans.gif">41
 <img class="arrowdown" alt="Torrents leeching" title="当前下载" src="pic/trans.gif">1
 <font class="color_connectable">可连接：</font><b><font color="green">是</font></b></span></td>
<td class="bottom" align="right"><span class="medium"><a href="messages.php"><img class="inbox" src="pic/trans.gif" alt="inbox" title="收件箱"></a>
 <a href="getrss.php"><img class="rss" alt="RSS" title="获取RSS" src="pic/trans.gif"></a></span></td>
</tr></table></td></tr></table>
<div id="menu"><ul id="mainmenu" class="menu">
<li><a href="index.php">&nbsp;首&nbsp;&nbsp;页&nbsp;</a></li><li><a href="forums.php">&nbsp;论&nbsp;&nbsp;坛&nbsp;</a></li>
<li><a href="torrents.php">&nbsp;种&nbsp;&nbsp;子&nbsp;</a></li><li><a href="upload.php">&nbsp;发&nbsp;&nbsp;布&nbsp;</a></li>
<li><a href="usercp.php">&nbsp;控&nbsp;制&nbsp;面&nbsp;板&nbsp;</a></li><li><a href="rules.php">&nbsp;规&nbsp;&nbsp;则&nbsp;</a></li></ul></div>
<table class="mainouter" width="940" cellspacing="0" cellpadding="5" align="center"><tr><td id="outer" align="center" class="outer">
${content}
</td></tr></table>`,
    ),
  );
}

/** A page for a visitor without a login. */
export function guestPage(title: string, content: Markup): Reply {
  return page(
    frame(
      title,
      markup`
<table class="mainouter" width="940" cellspacing="0" cellpadding="5" align="center"><tr><td id="nav_block" class="text" align="center">
<a href="login.php"><font class="big"><b>登录</b></font></a> / <a href="signup.php"><font class="big"><b>注册</b></font></a></td></tr>
<tr><td id="outer" align="center" class="outer">
${content}
</td></tr></table>`,
    ),
  );
}

/** The notice that this software shows for every refusal: a heading and a sentence in `td.embedded`. */
export function notice(heading: string, text: string | Markup): Markup {
  return markup`<table class="main" width="737" border="0" cellspacing="0" cellpadding="0"><tr><td class="embedded">
<h2>${heading}</h2><table width="100%" border="1" cellspacing="0" cellpadding="10"><tr><td class="text">${text}</td></tr></table>
</td></tr></table>`;
}

function frame(title: string, content: Markup): Markup {
  return markup`<html xmlns="http://www.w3.org/1999/xhtml" lang="zh-CN"><head>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8">
<title>${siteName} :: ${title} - Powered by NexusPHP</title>
<link rel="stylesheet" href="styles/fixture.css" type="text/css">
</head><body>
<table class="head" cellspacing="0" cellpadding="0" align="center"><tr><td class="clear">
<div class="logo">灯塔</div><div class="slogan">为每一个夜航的人</div></td></tr></table>
${content}
<div id="footer"><div align="center">(c) 2014-2026 <a href="index.php">${siteName}</a></div></div>
</body></html>`;
}
