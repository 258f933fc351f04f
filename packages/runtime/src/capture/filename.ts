/** Characters that lead elsewhere, end a line, or mean something to some file system. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const unsafe = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff/\\:*?"<>|]/gu;
/** Device names of Windows. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;
/** Longest name, bytes of UTF-8: what file systems take, with room for a suffix of ours. */
const maxBytes = 200;

/**
 * A name that a page or server suggests, as one that leads nowhere on any system (S001-28): never a path, never hidden,
 * never a device, its ending kept. `download` when nothing is left.
 */
export function safeFilename(suggested: string): string {
  const last = suggested.normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  const plain = last
    .replace(unsafe, '_')
    .replaceAll(/\.{2,}/g, '.')
    .replace(/^[.\s]+|[.\s]+$/gu, '');
  const named = device.test(plain) ? `_${plain}` : plain;
  if (named === '') return 'download';
  const dot = named.lastIndexOf('.');
  const ending = dot > 0 && named.length - dot <= 16 ? named.slice(dot) : '';
  // Cut between characters, never inside one.
  const stem = Array.from(named.slice(0, named.length - ending.length));
  while (Buffer.byteLength(stem.join('') + ending) > maxBytes) stem.pop();
  return stem.join('') + ending;
}
