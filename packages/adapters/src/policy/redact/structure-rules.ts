import type { RedactionRule } from './rule.ts';

/** Values that are bound to their name by the structure around both: JSON objects and lists, calls, HTML. */
export const structureRules: readonly RedactionRule[] = [
  {
    id: 'sibling-value',
    why: 'HAR, storage state, form evidence and settings write a name and a value as two fields, in either order',
    surfaces: ['json', 'error'],
    leaks: [
      '{"name":"password","value":"s3cr3t"}',
      '{"params": [{"value": "s3cr3t", "name": "password"}]}',
      '{"label": "", "type": "password", "value": "s3cr3t", "ref": "e2"}',
      '{"ref": "e2", "text": "s3cr3t", "secret": true}',
      '{"kind": "type", "selector": "input[name=password]", "text": "s3cr3t"}',
      '[{"path":["password"],"received":"s3cr3t","message":"too short"}]',
    ],
    keeps: ['{"name": "theme", "value": "dark"}', '{"type":"text","name":"search","value":"token"}'],
  },
  {
    id: 'list-value',
    why: 'Settings of rTorrent and uTorrent, raw headers of undici: names and values alternate in a list',
    surfaces: ['json'],
    leaks: ['["webui.password",2,"s3cr3tA1",{"access":"Y"}]', '["boss_key",0,"s3cr3tA1",{"access":"Y"}]'],
    keeps: ['["username","password","email"]', '["key","value"]'],
  },
  {
    id: 'call-params',
    why: 'JSON-RPC calls (Deluge, BTN) pass the key or the password as an argument',
    surfaces: ['json', 'log'],
    leaks: [
      '{"method": "auth.login", "params": ["s3cr3tA1"], "id": 1}',
      'method: "getTorrents", "params": [ "5ec2e7cc-ecc7-41ce-aea1-5ec2e7e32725", 100, 0 ]',
    ],
    keeps: ['{"method": "list", "params": ["name", 100], "id": 1}'],
  },
  {
    id: 'call-argument',
    why: 'Logs and code of browser automation: `fill("#password", "…")`, `getByLabel("Password").fill("…")`, `auth.login("…")`',
    surfaces: ['log', 'error'],
    leaks: ['fill("#password", "s3cr3t") ok', "getByLabel('Password').fill('s3cr3t');", 'auth.login("s3cr3t")'],
    keeps: ['fill("#search", "token of affection")', "getByLabel('Password').click()", 'login()'],
  },
  {
    id: 'multipart-field',
    why: 'RFC 7578: a recorded form post has the value an empty line below its name',
    surfaces: ['log'],
    leaks: ['Content-Disposition: form-data; name="password"\r\n\r\ns3cr3t\r\n--b1'],
    keeps: ['Content-Disposition: form-data; name="q"\r\n\r\nharbor\r\n--b1'],
  },
  {
    id: 'html-field',
    why: 'Form fields and meta elements: type, name or id tells what the value is, on either side of it',
    surfaces: ['html', 'error'],
    leaks: [
      '<input type="password" name="q" value="s3cr3t">',
      '<input value="s3cr3t" type="password" id="x1">',
      '<meta content="s3cr3tZJwA" name="csrf-token">',
      '<textarea name="passphrase">s3cr3t horse</textarea>',
      '<label>Passkey</label><input type="text" value="s3cr3tword">',
    ],
    keeps: [
      '<input type="password" name="password" value="">',
      '<input type="text" name="search" value="token">',
      '<meta name="keywords" content="torrent,token,key">',
    ],
  },
  {
    id: 'markup-label',
    why: 'Control panels print a label in one element and the key in the next',
    surfaces: ['html'],
    leaks: ['<td class="rowhead">密钥</td><td class="rowfollow">s3cr3t9</td>'],
    keeps: [
      '<td class="rowhead">密钥</td><td>未设置</td>',
      '<th>Key</th><td>C# minor</td>',
      '<label for="passkey">Passkey</label>',
    ],
  },
];
