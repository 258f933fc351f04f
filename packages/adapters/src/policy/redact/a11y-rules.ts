import type { RedactionRule } from './rule.ts';

/** Accessibility snapshots, in which the upstream prints what every input holds (camofox 1.17, transcript 05). */
export const a11yRules: readonly RedactionRule[] = [
  {
    id: 'credential-field',
    why: 'camofox prints the content of password, code and key boxes; their label tells, in the language of the site',
    surfaces: ['a11y'],
    leaks: [
      '- textbox "Search passphrase" [e2]: s3cr3t',
      '- \'textbox "Year of password: (min 8)" [e4]\': s3cr3t rook',
      '- spinbutton "2FA" [e2]: "s3cr3t"',
      '- textbox "Name of Contraseña" [e2]:\n  - /placeholder: x\n  - text: s3cr3t',
    ],
    keeps: [
      '- textbox "Password" [e2]',
      '- textbox "Search" [e3]: token of affection',
      '- combobox "Show" [e3]:\n  - option "Passkey" [selected]',
    ],
  },
  {
    id: 'unknown-field',
    why: 'Over-masking beats leaking: a box without a telling label goes, unless it holds a date, a small number or an address',
    surfaces: ['a11y'],
    leaks: ['- textbox [e5]: s3cr3t', '- textbox "Xyzzy" [e5]: s3cr3t'],
    keeps: [
      '- textbox "Email" [e7]: fox at mail',
      '- spinbutton "Rows" [e8]: "50"',
      '- textbox "Date": 2026-01-02',
      '- textbox "Title" [e9]: Passengers 2016 2160p',
      '- textbox "关键字" [e1]: 密码风暴',
    ],
  },
  {
    id: 'labelled-cell',
    why: 'Tables, definition lists and headings: the label stands in one line and the value in the next, or in the one before',
    surfaces: ['a11y'],
    leaks: [
      '- row "Passkey s3cr3t":\n  - cell "Passkey"\n  - cell "s3cr3t"',
      '- heading "API key" [level=3]\n- text: s3cr3t7',
      '- row "Name Token":\n  - columnheader "Name"\n  - columnheader "Token"\n- row "feed s3cr3t":\n  - cell "feed"\n  - cell "s3cr3t"',
      '- definition: s3cr3tX9B4cc5dab\n- term: Passkey',
    ],
    keeps: [
      '- cell "Info hash"\n- cell "1b7f044f1bf5d71f3f9cbc86956ffc51efc16818"',
      '- row "邀请 3":\n  - cell "邀请"\n  - cell "3"',
      '- columnheader "Token"',
    ],
  },
  {
    id: 'recovery-codes',
    why: 'Recovery codes are shown as a list under one sentence about them',
    surfaces: ['a11y'],
    leaks: [
      '- text: Keep your recovery codes in a safe place. Each works once.\n- link "Print" [e1]\n- list:\n  - listitem: s3cr3t-a123\n  - listitem: aaaa1-bbbb2\n  - listitem: cccc1-dddd2\n  - listitem: eeee1-s3cr3t2',
    ],
    keeps: ['- list:\n  - listitem: 9f21-77ab'],
  },
  {
    id: 'cut-window',
    why: 'camofox serves a long snapshot in windows that begin and end within a line: half a secret stands there without its label',
    surfaces: ['a11y'],
    leaks: [
      's3cr3t horse\n- button "Login" [e3]',
      'ord" [e2]: s3cr3t\n- button "Login" [e3]',
      '- link "x":\n  - /url: https://t.example/announce/s3cr3t',
    ],
    keeps: ['- button "Login" [e3]\n- text: ok', 'one line alone'],
  },
];
