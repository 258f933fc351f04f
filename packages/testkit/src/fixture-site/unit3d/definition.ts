import { categories } from '../works.ts';

type Method = 'form' | 'post' | 'cookie';

/** Cardigann YAML for the UNIT3D-like site. */
export function unit3dDefinition(origin: string, method: Method): string {
  return `---
id: fixture-unit3d
name: FixtureU
description: "FixtureU is a Private Torrent Tracker that exists for tests only"
language: en-US
type: private
encoding: UTF-8
links:
  - ${origin}/

caps:
  categorymappings:
${Object.values(categories)
  .map(({ unitId, newznab, en }) => `    - {id: ${unitId}, cat: ${newznab}, desc: "${en}"}`)
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
    default: created_at
    options:
      created_at: created
      seeders: seeders
      size: size
      name: title
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
    path: /
    selector: form[action$="/logout"]

download:
  selectors:
    - selector: a[href*="/torrents/download/"]
      attribute: href

search:
  paths:
    - path: torrents
  inputs:
    $raw: "{{ range .Categories }}categories[]={{.}}&{{end}}{{ if .Config.freeleech }}free[]=100{{ else }}{{ end }}"
    name: "{{ .Keywords }}"
    sortField: "{{ .Config.sort }}"
    sortDirection: "{{ .Config.type }}"
    perPage: 50

  rows:
    selector: table.data-table > tbody > tr:has(a[href*="/torrents/download/"])

  fields:
    category:
      selector: a[href*="/torrents?categories"]
      attribute: href
      filters:
        - name: regexp
          args: "=(\\\\d+)$"
    title:
      selector: a.torrent-search--list__name
    details:
      selector: a.torrent-search--list__name
      attribute: href
    download:
      # the details page has the link; taking it from there is what the download block is for
      selector: a.torrent-search--list__name
      attribute: href
    date:
      selector: time
      attribute: datetime
      filters:
        - name: append
          args: " +00:00"
        - name: dateparse
          args: "yyyy-MM-dd HH:mm:ss zzz"
    size:
      selector: td.torrent-search--list__size
    seeders:
      selector: td.torrent-search--list__seeders
    leechers:
      selector: td.torrent-search--list__leechers
    grabs:
      selector: td.torrent-search--list__completed
    downloadvolumefactor:
      case:
        i[title="Freeleech"]: 0
        i[title="Featured"]: 0
        i[title="50% Freeleech"]: 0.5
        "*": 1
    uploadvolumefactor:
      case:
        i[title="Double upload"]: 2
        i[title="Featured"]: 2
        "*": 1
    minimumseedtime:
      # 3 days, in seconds
      text: 259200
`;
}

const refusal = `  error:
    - selector: ul.auth-form__errors
      message:
        selector: li.auth-form__error`;

const logins: Readonly<Record<Method, string>> = {
  form: `  path: login
  method: form
  form: form[action$="/login"]
  captcha:
    type: image
    selector: img.auth-form__captcha
    input: captcha
  inputs:
    username: "{{ .Config.username }}"
    password: "{{ .Config.password }}"
    remember: on
  selectorinputs:
    _token:
      selector: input[name="_token"]
      attribute: value
${refusal}`,
  post: `  path: login/basic
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
