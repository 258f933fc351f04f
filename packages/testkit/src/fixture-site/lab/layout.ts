import { page, type Reply } from '../http.ts';
import { markup, type Markup } from '../markup.ts';

/** A page of the lab: presses of `[data-act]` are posted to `/act/ID`, and the page says what the server counted. */
export function labPage(title: string, content: Markup): Reply {
  return page(markup`<html lang="en"><head><meta charset="utf-8"><title>${title} - Lab</title></head><body>
<h1>${title}</h1>
${content}
<p>Last answer: <output id="answer">none</output></p>
${pressScript}</body></html>`);
}

/** A button that is counted as `/act/ID`; `extra` are more attributes. */
export function press(id: string, label: string, extra: Markup = markup``): Markup {
  return markup`<button type="button" data-act="${id}" ${extra}>${label}</button>`;
}

/** A bounded number from a query: the fallback for anything that is not one. */
export function bounded(query: URLSearchParams, name: string, limits: { fallback: number; max: number }): number {
  const asked = query.get(name);
  const number = Number(asked);
  return asked === null || !Number.isFinite(number)
    ? limits.fallback
    : Math.min(limits.max, Math.max(0, Math.floor(number)));
}

const pressScript: Markup = {
  html: `<script>
addEventListener('click', async (event) => {
  const button = event.target.closest('[data-act]');
  if (!button) return;
  const query = button.dataset.query ?? '';
  try {
    const answer = await fetch('/act/' + encodeURIComponent(button.dataset.act) + query, { method: 'POST', keepalive: true });
    const { id, count } = await answer.json();
    document.getElementById('answer').textContent = id + ' ' + count;
  } catch {
    document.getElementById('answer').textContent = 'failed';
  }
});
</script>`,
};
