import { categories } from '../works.ts';

type Method = 'form' | 'post' | 'cookie';

/** Cardigann YAML for the NexusPHP-like site. */
export function nexusphpDefinition(origin: string, method: Method): string {
  return `---
id: fixture-nexusphp
name: FixturePT
description: "FixturePT (灯塔) is a CHINESE Private Torrent Tracker that exists for tests only"
language: zh-CN
type: private
encoding: UTF-8
links:
  - ${origin}/

caps:
  categorymappings:
${Object.values(categories)
  .map(({ nexusId, newznab, zh, en }) => `    - {id: ${nexusId}, cat: ${newznab}, desc: "${zh}/${en}"}`)
  .join('\n')}

  modes:
    search: [q]
    tv-search: [q, season, ep]
    movie-search: [q]
    music-search: [q]
    book-search: [q]

settings:
${settings(method)}
  - name: freeleech
    type: checkbox
    label: Search freeleech only
    default: false
  - name: sort
    type: select
    label: Sort requested from site
    default: "4"
    options:
      "4": created
      "7": seeders
      "5": size
      "1": title
  - name: type
    type: select
    label: Order requested from site
    default: desc
    options:
      desc: desc
      asc: asc

login:
${logins[method]}
  test:
    path: index.php
    selector: a[href="logout.php"]

search:
  paths:
    - path: torrents.php
  inputs:
    $raw: "{{ range .Categories }}cat{{.}}=1&{{end}}"
    search: "{{ .Keywords }}"
    incldead: 0
    # 0 all, 1 normal, 2 free, 3 2x, 4 2x free, 5 50%
    spstate: "{{ if .Config.freeleech }}2{{ else }}0{{ end }}"
    sort: "{{ .Config.sort }}"
    type: "{{ .Config.type }}"

  rows:
    selector: table.torrents > tbody > tr:has(table.torrentname)

  fields:
    category:
      selector: a[href^="?cat="]
      attribute: href
      filters:
        - name: querystring
          args: cat
    title_default:
      selector: a[href^="details.php?id="]
    title:
      selector: a[title][href^="details.php?id="]
      attribute: title
      optional: true
      default: "{{ .Result.title_default }}"
    details:
      selector: a[href^="details.php?id="]
      attribute: href
    download:
      selector: a[href^="download.php?id="]
      attribute: href
    date:
      selector: td.rowfollow:nth-child(4) > span[title]
      attribute: title
      filters:
        - name: append
          args: " +08:00"
        - name: dateparse
          args: "yyyy-MM-dd HH:mm:ss zzz"
    size:
      selector: td.rowfollow:nth-child(5)
    seeders:
      selector: td.rowfollow:nth-child(6)
    leechers:
      selector: td.rowfollow:nth-child(7)
    grabs:
      selector: td.rowfollow:nth-child(8)
    downloadvolumefactor:
      case:
        img.pro_free: 0
        img.pro_free2up: 0
        img.pro_50pctdown: 0.5
        "*": 1
    uploadvolumefactor:
      case:
        img.pro_free2up: 2
        img.pro_2up: 2
        "*": 1
    description:
      selector: td.rowfollow:nth-child(2) td.embedded > span
`;
}

const refusal = `  error:
    - selector: td.embedded:has(h2:contains("失败"))
      message:
        selector: td.embedded:has(h2:contains("失败")) td.text`;

const logins: Readonly<Record<Method, string>> = {
  form: `  path: login.php
  method: form
  form: form[action="takelogin.php"]
  captcha:
    type: image
    selector: img[alt="CAPTCHA"]
    input: imagestring
  inputs:
    secret: ""
    username: "{{ .Config.username }}"
    password: "{{ .Config.password }}"
    logout: ""
    securelogin: ""
${refusal}`,
  post: `  path: takelogin.php
  method: post
  inputs:
    username: "{{ .Config.username }}"
    password: "{{ .Config.password }}"
${refusal}`,
  cookie: `  method: cookie
  inputs:
    cookie: "{{ .Config.cookie }}"`,
};

function settings(method: Method): string {
  return method === 'cookie'
    ? `  - name: cookie
    type: text
    label: Cookie
  - name: info_cookie
    type: info_cookie`
    : `  - name: username
    type: text
    label: Username
  - name: password
    type: password
    label: Password`;
}
