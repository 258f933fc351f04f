import type { IncomingMessage } from 'node:http';

/** Values of the recordings. All are made up. */
export const synthetic = {
  password: 'Synth-Pw-123',
  apiKey: 'synthetic-api-key-42',
  passkey: 'abc',
  csrf: 'synthetic-csrf-9',
} as const;

/** A document. */
export const page = (title: string, body: string, head = '') =>
  `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}</body></html>`;
/** What a page may depend on. */
export interface Asked {
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  /** Port of the site. */
  readonly port: number;
}

/** Pages that answer the same at once, each time. */
export function stillPages({ query, port, request }: Asked): Readonly<Record<string, string>> {
  const signedIn = (request.headers.cookie ?? '').includes('sid=synthetic-sid-1');
  const { password, apiKey, passkey, csrf } = synthetic;
  const slow = Number(query.get('ms') ?? 5000);
  return {
    '/': page('Index', '<h1>Index</h1><a href="/login">Login</a> <a href="/list">List</a>'),
    '/login': page(
      'Sign in',
      `<h1>Sign in</h1><form id="login" action="/login" method="post"><input type="hidden" name="csrf" value="${csrf}"><label for="u">Username</label><input id="u" name="username" value="alice"><label for="p">Password</label><input id="p" type="password" name="password" value="${password}"><label><input type="checkbox" name="keep" checked> Keep me</label><button type="submit">Sign in</button></form>`,
    ),
    '/account': page(
      'Account',
      signedIn
        ? '<h1>Welcome alice</h1><script>localStorage.setItem("ls","synthetic-ls")</script>'
        : '<h1>Please sign in</h1><a href="/login">Sign in</a>',
    ),
    '/secrets': page(
      'Secrets',
      `<form id="f1" aria-label="Keys"><label>API key <input name="api_key" value="${apiKey}"></label><label>Shown password <input type="text" name="pw_visible" value="${password}-shown"></label><label>Notes <input name="notes" value="plain-notes"></label><label>One time <input autocomplete="one-time-code" name="otp" value="123456"></label><input type="hidden" name="hid" value="${csrf}"><label>Passphrase <textarea name="passphrase">ta-secret-text</textarea></label></form><input type="password" aria-label="Loose password" value="${password}-loose"><div contenteditable role="textbox" aria-label="Editor">edit-me-text</div>`,
    ),
    '/list': page('Torrents', listBody(query.get('q') ?? '', passkey)),
    '/details.php': page(
      `Details ${query.get('id')}`,
      `<h1>Details ${query.get('id')}</h1><a href="download.php?id=${query.get('id')}&amp;passkey=${passkey}">Download</a>`,
    ),
    '/downloads-page': page(
      'Downloads',
      `<h1>Downloads</h1><a href="/download.php?id=1&passkey=${passkey}">Small</a> <a href="/download-big?bytes=25000000">Big</a> <a href="/download-slow?step=300">Slow</a> <a href="/download-cut">Cut</a> <a href="/text.nfo" download>Same-tab nfo</a> <button onclick="for(let i=0;i<25;i++){const a=document.createElement('a');a.href='/download.php?id='+(100+i);a.download='';document.body.append(a);setTimeout(()=>a.click(),i*60)}">Many</button> <button onclick="1">Blob</button> <form method="post" action="/download-post"><button>Post download</button></form>`,
    ),
    '/landed': page('Landed', `<h1>Landed on ${request.headers.host}</h1><button>Ok</button>`),
    '/meta-refresh': page(
      'Meta refresh',
      '<h1>Wait…</h1><a href="/">stay</a>',
      '<meta http-equiv="refresh" content="2;url=/landed?from=meta">',
    ),
    '/js-redirect': page(
      'JS redirect',
      '<h1>Redirecting</h1><script>setTimeout(()=>location.href="/landed?from=js",1200)</script>',
    ),
    '/big': page('Big', bigBody(Number(query.get('n') ?? 1500))),
    '/bigtext': page(
      'Big text',
      `<h1>Big text</h1>${Array.from({ length: 1200 }, (_, i) => `<p>Paragraph ${i}: lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor.</p>`).join('')}<button>At the end</button>`,
    ),
    '/popup': page(
      'Popups',
      `<h1>Popups</h1><a href="/landed?from=blank" target="_blank">Blank link</a> <button onclick="window.open('/landed?from=open')">Open window</button> <button onclick="window.open('/download.php?id=7')">Open download</button> <a href="/landed?from=noopener" target="_blank" rel="noopener">Noopener link</a>`,
    ),
    '/dialogs': page(
      'Dialogs',
      `<h1>Dialogs</h1><button onclick="alert('hello');document.querySelector('#o').textContent='alert returned'">Alert</button> <button onclick="document.querySelector('#o').textContent='confirm='+confirm('sure?')">Confirm</button> <button onclick="document.querySelector('#o').textContent='prompt='+prompt('name?','dflt')">Prompt</button><output id="o">none</output>`,
    ),
    '/onload-alert': page('Onload alert', '<script>alert("on load")</script><h1>After alert</h1><button>Ok</button>'),
    '/iframe': page(
      'Iframe',
      `<h1>Outer</h1><button>Outer button</button><iframe name="inner" src="/iframe-inner" title="Inner frame"></iframe><iframe src="http://localhost:${port}/iframe-inner?x=1" title="Cross frame"></iframe><iframe srcdoc="<button>Srcdoc button</button>"></iframe><iframe src="/iframe-plain"></iframe>`,
    ),
    '/iframe-inner': page(
      'Inner',
      `<h2>Inner page</h2><label>Card <input name="card" value="4111"></label><button onclick="fetch('/count?k=inner')">Pay</button><button>Outer button</button>`,
    ),
    '/iframe-plain': page('Plain', '<p>plain text only frame</p>'),
    '/mutate': page(
      'Mutate',
      `<h1>Mutate</h1><div id="box"><button onclick="fetch('/count?k=mut-A')">A</button><button onclick="fetch('/count?k=mut-B')">B</button><a href="/landed">Go</a></div><script>window.prepend=()=>{const b=document.createElement('button');b.textContent='A';b.onclick=()=>{fetch('/count?k=mut-NEW-A')};document.querySelector('#box').prepend(b)};window.rename=()=>{document.querySelector('#box').lastElementChild.previousElementSibling.textContent='B2'};window.wipe=()=>{document.querySelector('#box').innerHTML='<p>empty</p>'};</script>`,
    ),
    '/disabled': page(
      'Disabled',
      `<h1>Disabled</h1><button disabled onclick="fetch('/count?k=disabled')">Dis</button><button style="display:none" onclick="fetch('/count?k=hidden')" id="hid">Hid</button><input type="checkbox" id="c" aria-label="Cee"><button class="dup" onclick="fetch('/count?k=dup1')">Dup one</button><button class="dup" onclick="fetch('/count?k=dup2')">Dup two</button><p id="para">para</p><span role="textbox" aria-label="FakeBox">x</span>`,
    ),
    '/click-nav-slow': page(
      'Click nav',
      `<h1>Click nav</h1><a href="/slow?ms=${slow}">Slow link</a><a href="/never">Never link</a><a href="/reset">Reset link</a><a href="/status/500">500 link</a><form action="/form-post" method="post"><input name="a" aria-label="A"><button>Send</button></form>`,
    ),
    '/controls': page('Controls', controlsBody),
    '/upload': page(
      'Upload',
      `<h1>Upload</h1><form method="post" enctype="multipart/form-data" action="/upload"><label>File <input type="file" name="f"></label><button>Send</button></form><output id="o"></output>`,
    ),
    '/images': page(
      'Images',
      '<h1>Images</h1><img src="/pixel.png" alt="one"><img src="/pixel.png?2" alt="two"><img src="/missing.png" alt="missing" width="0" height="0"><img src="data:image/png;base64,iVBORw0KGgo=" alt="datauri" width="0" height="0">',
    ),
    '/spa': page(
      'SPA',
      `<h1 id="h">SPA</h1><button onclick="history.pushState({},'','/spa/two');document.querySelector('#h').textContent='Two'">Push</button>`,
    ),
    '/keys': page('Keys', '<h1>Keys</h1><input aria-label="K"><output id="o"></output>'),
    '/wait': page('Wait', '<h1>Wait</h1><div id="d"></div>'),
    '/poll': page('Poll', '<h1>Poll</h1>'),
    '/covered': page('Covered', '<h1>Covered</h1><button>Covered</button>'),
    '/busy': page(
      'Busy',
      '<h1>Busy</h1><button>Busy after</button><button>Busy inside</button><button>Busy mousedown</button>',
    ),
    '/moving': page('Moving', '<h1>Moving</h1><button id="m">Moving</button>'),
  };
}

function listBody(asked: string, passkey: string): string {
  const row = (i: number) =>
    `<tr><td><a href="details.php?id=${i}&amp;passkey=${passkey}">Show S01E0${i} "1080p" (x265)</a></td><td>${i}.5 GiB</td><td>${i * 10}</td><td><a href="download.php?id=${i}&amp;passkey=${passkey}" title="Download">DL</a></td></tr>`;
  return `<h1>Torrents</h1><form action="/list" method="get" role="search"><input type="search" name="q" aria-label="Search torrents" value="${asked.replaceAll('"', '')}"><select name="cat" aria-label="Category"><option value="0">All</option><option value="1">Movies</option><option value="2" selected>TV</option></select><input type="submit" value="Find"></form><table id="torrents"><thead><tr><th>Name</th><th>Size</th><th>Seeders</th><th>Get</th></tr></thead><tbody>${[1, 2, 3, 4, 5].map(row).join('')}</tbody></table><nav aria-label="Pages"><a href="/list?page=0">1</a> <a href="/list?page=1">2</a> <a href="/list?page=1">Next</a></nav>`;
}

function bigBody(items: number): string {
  const item = (_: unknown, i: number) =>
    `<li><a href="/details.php?id=${i}">Item number ${i} with some padding text to make it long enough</a></li>`;
  return `<h1>Big list</h1><ul>${Array.from({ length: items }, item).join('')}</ul><nav><a href="/big?page=2">Next page</a></nav>`;
}

const controlsBody = `<header><h1>Controls</h1></header><nav aria-label="Main"><ul><li><a href="/">Home</a></li><li><a href="/list">List "quoted"</a></li></ul></nav>
  <main><h2>Form</h2><form><label>Text <input value="v1"></label><label>Empty <input></label><label>Email <input type="email" required></label><label>Num <input type="number" value="3"></label><label>Range <input type="range" min="0" max="10" value="4"></label>
  <label><input type="checkbox" checked> Check</label><label><input type="checkbox"> Uncheck</label><fieldset><legend>Radios</legend><label><input type="radio" name="r" checked> R1</label><label><input type="radio" name="r"> R2</label></fieldset>
  <label>Combo <select><option>One</option><option selected>Two</option></select></label><label>Multi <select multiple><option selected>M1</option><option>M2</option></select></label><label>Area <textarea>line1
line2</textarea></label><label>Date <input type="date" value="2026-01-02"></label><label>Datepicker <input value="x"></label><button type="button" disabled>Disabled btn</button><button type="button" aria-expanded="false">Expand</button><button type="button" aria-pressed="true">Toggle</button><button type="submit">Submit: now</button><button type="button"></button></form>
  <div role="switch" aria-checked="true" aria-label="Switchy" tabindex="0"></div><div role="tablist"><button role="tab" aria-selected="true">Tab1</button><button role="tab">Tab2</button></div><ul role="menu"><li role="menuitem">Mi</li></ul>
  <img src="/pixel.png" alt="A pixel"><img src="/pixel.png" alt=""><figure><img src="/pixel.png"><figcaption>Cap</figcaption></figure><p>Para with <b>bold</b> and <a href="https://example.invalid/x?y=1#z">external</a>.</p><details><summary>Sum</summary>Hidden body</details><blockquote>Quote: with colon</blockquote><pre>code   x</pre><div role="alert">Alert!</div><div role="progressbar" aria-valuenow="30" aria-label="Prog"></div><dialog open>Dialog text <button>Close</button></dialog><p hidden>hidden para</p><p aria-hidden="true">aria hidden</p></main><footer>Foot</footer>`;
