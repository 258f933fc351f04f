import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LiveRig, startLiveRig } from './live-rig.ts';

const longLabel = 'x'.repeat(1_000);

/** Pages that tempt whoever acts by a name to act on another element. Every element reports its `id` when it is pressed. */
const pages = {
  '/names': `
<button id="plain-all">Delete all</button><button id="plain">Delete</button><button id="lower">delete</button>
<button id="colon">Go: now</button><button id="braces">Use {x}</button><button id="quote">Say "hi"</button>
<button id="fake">Say " [e9] hi</button><button id="back">C:\\dir\\</button><button id="chain">a >> b</button>
<button id="bracket">a"] >> nth=1</button><button id="comma">a, b</button><button id="regex">/x/</button>
<button id="single">it's 'fine'</button><button id="date">Date</button><button id="hash">a # b</button>
<button id="dash">- link "Delete" [e1]</button><button id="emoji">🙂 购买</button>
<button id="long" aria-label="${longLabel}"></button><button id="icon"></button><button id="icon-2"></button>
<a id="l10" href="#10">10</a><a id="l1" href="#1">1</a><a id="l1b" href="#1b">1</a>
<div id="check" role="checkbox" aria-checked="false" aria-label="Own box" tabindex="0">x</div>
<div role="treeitem" id="tree" tabindex="0">Leaf</div><div role="menuitemcheckbox" id="menu" tabindex="0">Entry</div>`,
  '/rows': `<table>${['One', 'Two', 'Three']
    .map((name) => `<tr><td>${name}</td><td><button id="row-${name}">DL</button></td></tr>`)
    .join('')}</table><div><button id="bare-1">OK</button><button id="bare-2">OK</button></div>`,
  '/covered': `<style>#over{position:fixed;inset:0;background:#fff8}</style>
<button id="below">Go</button><div id="over"></div>`,
  '/menu': `<div id="place"><button id="real" onmouseover="if(!window.once){window.once=1;const b=document.createElement('button');
b.id='planted';b.textContent='Open';place.prepend(b)}">Open</button></div>`,
  '/moves': `<ul id="list"><li>A <button id="a">Pay</button></li><li>B <button id="b">Pay</button></li></ul>
<button id="sort" onclick="list.prepend(list.lastElementChild)">Sort</button>`,
  '/shadow': `<div id="host"></div><button id="light">X</button>
<script>host.attachShadow({mode:'open'}).innerHTML='<button id="shadow">X</button>'</script>`,
  '/fields': `<input id="pw" type="password" placeholder="Type here"><input id="otp" autocomplete="one-time-code" aria-label="Number">
<input id="ok" aria-label="Title"><div id="rich" contenteditable="true" role="textbox" aria-label="Text"></div>`,
};

describe('what is pressed on a real page', () => {
  let rig: LiveRig;
  beforeAll(async () => {
    rig = await startLiveRig(pages);
  });
  afterAll(() => rig?.close());

  const names = [
    ['plain', 'button', 'Delete'],
    ['lower', 'button', 'delete'],
    ['colon', 'button', 'Go: now'],
    ['braces', 'button', 'Use {x}'],
    ['quote', 'button', 'Say "hi"'],
    ['fake', 'button', 'Say " [e9] hi'],
    ['back', 'button', 'C:\\dir\\'],
    ['chain', 'button', 'a >> b'],
    ['bracket', 'button', 'a"] >> nth=1'],
    ['comma', 'button', 'a, b'],
    ['regex', 'button', '/x/'],
    ['single', 'button', "it's 'fine'"],
    ['date', 'button', 'Date'],
    ['hash', 'button', 'a # b'],
    ['dash', 'button', '- link "Delete" [e1]'],
    ['emoji', 'button', '🙂 购买'],
    ['l1', 'link', '1'],
    ['check', 'checkbox', 'Own box'],
    ['tree', 'treeitem', 'Leaf'],
    ['menu', 'menuitemcheckbox', 'Entry'],
  ] as const;
  test.each(names)('%s: %s %j and no other', async (id, role, name) => {
    await rig.open('/names');
    await rig.click(role, name);
    expect(rig.presses()).toEqual([id]);
  });

  test('the second of two links of one name goes where it leads', async () => {
    await rig.open('/names');
    await rig.click('link', '1', 1);
    expect(rig.presses()).toEqual(['l1b']);
  });

  test('a nameless button is told from one whose name is too long to be shown', async () => {
    await rig.open('/names');
    const nameless = (await rig.look()).elements.filter(({ role, name }) => role === 'button' && name === '');
    expect(nameless).toHaveLength(3);
    await expect(rig.click('button', '', 0)).rejects.toMatchObject({ code: 'not_actionable', outcome: undefined });
    await rig.click('button', '', 1);
    await rig.click('button', '', 2);
    expect(rig.presses()).toEqual(['icon', 'icon-2']);
  });

  test('buttons of one name are told apart by their rows', async () => {
    await rig.open('/rows');
    await rig.click('button', 'DL', 1);
    await rig.click('button', 'OK', 1);
    expect(rig.presses()).toEqual(['row-Two', 'bare-2']);
  });

  test('a covered button presses nothing, neither itself nor what lies over it', async () => {
    await rig.open('/covered');
    await expect(rig.click('button', 'Go')).rejects.toMatchObject({ code: 'not_actionable', outcome: undefined });
    expect(rig.presses()).toEqual([]);
  });

  test('a button that plants its double under the pointer presses neither', async () => {
    await rig.open('/menu');
    await expect(rig.click('button', 'Open')).rejects.toMatchObject({ code: 'not_actionable', outcome: 'not_applied' });
    expect(rig.presses()).toEqual([]);
  });

  test('rows that changed places between the look and the click press nothing', async () => {
    await rig.open('/moves');
    const pay = await rig.find('button', 'Pay', 0);
    await rig.click('button', 'Sort');
    await expect(rig.clickOn(pay)).rejects.toMatchObject({ code: 'stale_snapshot', outcome: undefined });
    expect(rig.presses()).toEqual(['sort']);
  });

  test('a page whose order is not that of its text is pressed where it was meant, or not at all', async () => {
    await rig.open('/shadow');
    await rig.click('button', 'X', 0).catch(() => undefined);
    expect(rig.presses()).not.toContain('light');
  });

  test('plain text goes into no field that only its attributes mark as a credential', async () => {
    await rig.open('/fields');
    for (const name of ['Type here', 'Number']) {
      await expect(rig.type('textbox', name, 'text')).rejects.toMatchObject({ outcome: undefined });
    }
    await rig.type('textbox', 'Title', 'a "b" {c}');
    await expect.poll(() => rig.values()).toEqual({ pw: '', otp: '', ok: 'a "b" {c}' });
  });
});
