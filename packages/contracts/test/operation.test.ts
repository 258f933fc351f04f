import { expect, test } from 'vitest';
import { effectOf, Operation, type OperationInput, type OperationType } from '../src/index.ts';

const tabId = '0d2a0b0e-6f0e-4a51-9c8e-2b9f4a0f1c11';
const operationId = 'job-12/step-3';
const documentToken = 'dt_0123456789abcdef';
const onTab = { tabId };
const named = { tabId, operationId };
const onPage = { ...named, documentToken };
const onElement = { ...onPage, ref: 'e12' };

/** The least that each operation needs. A new operation does not compile until its line stands here. */
const least = {
  list_tabs: { type: 'list_tabs' },
  snapshot: { type: 'snapshot', ...onTab },
  screenshot: { type: 'screenshot', ...onTab },
  page_html: { type: 'page_html', ...onTab },
  wait: { type: 'wait', ...onTab },
  links: { type: 'links', ...onTab },
  list_downloads: { type: 'list_downloads', ...onTab },
  navigate: { type: 'navigate', ...named, url: 'https://tracker.example/' },
  back: { type: 'back', ...named },
  forward: { type: 'forward', ...named },
  refresh: { type: 'refresh', ...named },
  click: { type: 'click', ...onElement },
  hover: { type: 'hover', ...onElement },
  type: { type: 'type', ...onElement, input: { kind: 'text', text: 'ubuntu' } },
  select: { type: 'select', ...onElement, label: 'All' },
  press: { type: 'press', ...onPage, key: 'Enter' },
  scroll: { type: 'scroll', ...onPage },
  upload: { type: 'upload', ...onElement, artifactId: tabId },
  click_at: { type: 'click_at', ...onPage, x: 1, y: 2 },
  drag: { type: 'drag', ...onElement, toRef: 'e13' },
  site_fill: { type: 'site_fill', ...named, selector: '#user', input: { kind: 'secret', ref: 'site:username' } },
  site_submit: { type: 'site_submit', ...named, selector: 'form#login' },
  open_tab: { type: 'open_tab', operationId },
  close_tab: { type: 'close_tab', ...named },
  set_cookies: { type: 'set_cookies', operationId, cookieHeader: 'env:COOKIE', url: 'https://tracker.example/' },
  checkpoint: { type: 'checkpoint', operationId },
  capture: { type: 'capture', tabId, operationId, of: 'click-1' },
  close_session: { type: 'close_session', operationId },
} as const satisfies Record<OperationType, OperationInput | Record<string, unknown>>;

const types = Object.keys(least) as readonly OperationType[];
const without = (type: OperationType, field: string) =>
  Object.fromEntries(Object.entries(least[type]).filter(([name]) => name !== field));
const accepted = (value: unknown) => Operation.safeParse(value).success;

test.each(types)('%s needs no more than it says', (type) => {
  expect(Operation.parse(least[type])).toMatchObject(least[type]);
});

test.each(types)('%s with a field that nobody reads is refused, so that a slip of the pen is seen', (type) => {
  expect(accepted({ ...least[type], selectr: 'a' })).toBe(false);
});

test.each(types.filter((type) => effectOf[type] !== 'observe'))(
  'S001-15 %s cannot be asked for without a name that is used once',
  (type) => {
    expect(accepted(without(type, 'operationId'))).toBe(false);
  },
);

test.each(types.filter((type) => effectOf[type] === 'observe'))('a look (%s) takes no operationId', (type) => {
  expect(accepted({ ...least[type], operationId })).toBe(false);
});

/** Selectors of a site definition are for jobs, which look at the page by HTML and hold no token. */
const byJobsOnly: readonly OperationType[] = ['site_fill', 'site_submit'];

test.each(types.filter((type) => effectOf[type] === 'interact' && !byJobsOnly.includes(type)))(
  'S001-19 S000-17 %s cannot act on a page version that nobody named',
  (type) => {
    expect(accepted(without(type, 'documentToken'))).toBe(false);
    expect(accepted({ ...least[type], documentToken: 'short' })).toBe(false);
  },
);

test.each(types.filter((type) => !byJobsOnly.includes(type)))(
  'S000-25 %s takes neither CSS nor script from an agent',
  (type) => {
    expect(accepted({ ...least[type], selector: '#pay' })).toBe(false);
    expect(accepted({ ...least[type], expression: 'document.cookie' })).toBe(false);
  },
);

test.each(['e', '12', 'E12', 'e12 ', '#e12', 'e1234567890123456'])('"%s" is not taken for an element ref', (ref) => {
  expect(accepted({ ...least.click, ref })).toBe(false);
});

test('S000-o3 S000-78 sizes and times end where they were promised to end', () => {
  expect(accepted({ ...least.snapshot, maxBytes: 49_152 })).toBe(true);
  expect(accepted({ ...least.snapshot, maxBytes: 49_153 })).toBe(false);
  expect(accepted({ ...least.wait, timeoutMs: 30_001 })).toBe(false);
  expect(accepted({ ...least.navigate, url: `https://tracker.example/${'a'.repeat(8192)}` })).toBe(false);
  expect(accepted({ ...least.links, limit: 101 })).toBe(false);
});

test('S000-o6 only named keys can be pressed', () => {
  expect(accepted({ ...least.press, key: 'Control+V' })).toBe(false);
});

test('S001-33 an upload names an artifact, never a path of the caller', () => {
  expect(accepted({ ...least.upload, artifactId: '/etc/passwd' })).toBe(false);
});

test('S004-38 cookies and passwords are given by reference, never as themselves', () => {
  expect(accepted({ ...least.set_cookies, cookieHeader: 'session=abc' })).toBe(false);
  expect(accepted({ ...least.type, input: { kind: 'secret', ref: 'hunter2' } })).toBe(false);
});
