import { classifyKey, type KeyKind } from './classify-key.ts';
import { isPlaceholder, marker } from './marker.ts';
import { isSecretValue } from './verdict.ts';

/** What the walk needs from the redactor it works for. */
export interface JsonRedaction {
  readonly text: (value: string) => string;
  readonly url: (value: string) => string;
  readonly error: (value: unknown) => unknown;
  /** Whether the rule of this kind of name is on. */
  readonly isOn: (kind: KeyKind) => boolean;
  readonly count: (kind: KeyKind) => void;
}

/** Deepest nesting that is copied; below stands `[too deep]`. */
const deepest = 32;

const tight = { tight: true, parameter: false };
const namingField =
  /^(?:name|key|label|type|id|field|fieldName|selector|title|header|param|parameter|property|autocomplete|placeholder|setting|path|loc)$/i;
const valueField =
  /^(?:value|val|text|content|received|input|data|default|defaultValue|current|currentValue|actual|answer|raw)$/i;
const flagField = /^(?:secret|sensitive|masked|password|is_?secret|is_?password|is_?sensitive)$/i;

/**
 * A copy of `value` without its secrets, as plain data: what `JSON.stringify` would write, with errors, maps, sets and
 * addresses as readers expect them, bytes by their length, and cycles cut.
 */
export function redactJson(value: unknown, tools: JsonRedaction): unknown {
  return copy(value, { tools, open: new Set(), depth: 0, inherited: null });
}

interface Place {
  readonly tools: JsonRedaction;
  /** Objects around this one. */
  readonly open: Set<object>;
  readonly depth: number;
  /** Kind of the name under which the value stands, when that speaks for all inside. */
  readonly inherited: KeyKind | null;
}

function copy(value: unknown, place: Place): unknown {
  if (typeof value === 'string') return copyString(value, place);
  if (typeof value === 'number' || typeof value === 'bigint') return copyNumber(value, place);
  if (value === null || typeof value === 'boolean' || value === undefined) return value;
  if (typeof value !== 'object') return undefined;
  if (place.open.has(value)) return '[circular]';
  if (place.depth >= deepest) return '[too deep]';
  place.open.add(value);
  try {
    return copyObject(value, { ...place, depth: place.depth + 1 });
  } finally {
    place.open.delete(value);
  }
}

function copyString(value: string, { tools, inherited }: Place): string {
  if (inherited !== null && !tools.isOn(inherited)) return tools.text(value);
  if (inherited === 'cookie') return tools.text(`Cookie: ${value}`).slice(8);
  if (inherited === 'authorization') return tools.text(`Authorization: ${value}`).slice(15);
  if (inherited !== null && isSecretValue(inherited, value, tight)) {
    tools.count(inherited);
    return marker;
  }
  return tools.text(value);
}

function copyNumber(value: number | bigint, { tools, inherited }: Place): unknown {
  const isSecret = inherited === 'password' || inherited === 'code' || inherited === 'recovery';
  if (!isSecret || String(value).length < 3 || !tools.isOn(inherited))
    return typeof value === 'bigint' ? String(value) : value;
  tools.count(inherited);
  return marker;
}

function copyObject(value: object, place: Place): unknown {
  const { tools } = place;
  if (Array.isArray(value)) return copyList(value, place);
  if (value instanceof Error) return tools.error(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof URL) return tools.url(value.href);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (value instanceof Map)
    return copyFields(
      [...value].map(([key, field]) => [String(key), field]),
      place,
    );
  if (value instanceof Set) return copyList([...value], place);
  const json: unknown = 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON() : value;
  if (json !== value) return copy(json, place);
  return copyFields(Object.entries(value), place);
}

function copyFields(entries: readonly (readonly [string, unknown])[], place: Place): Record<string, unknown> {
  const siblingKind = namedKind(entries);
  const logsIn = entries.some(
    ([key, field]) =>
      /^(?:method|action|op)$/i.test(key) &&
      typeof field === 'string' &&
      /(?:^|[._])(?:login|auth\w*|signin)$/i.test(field),
  );
  const result: Record<string, unknown> = {};
  for (const [key, field] of entries) {
    let kind = classifyKey(key);
    if (kind === null || kind === 'weak' || kind === 'hash') {
      if (siblingKind !== null && valueField.test(key)) kind = siblingKind;
      else if (logsIn && /^(?:params|args|arguments)$/i.test(key)) kind = 'secret';
      else if (
        kind === null &&
        (place.inherited === 'password' ||
          place.inherited === 'secret' ||
          place.inherited === 'recovery' ||
          place.inherited === 'weak') &&
        typeof field !== 'object'
      ) {
        kind = isIdentifying(key) ? null : place.inherited;
      }
    }
    const copied = copy(field, { ...place, inherited: kind });
    if (copied === undefined) continue;
    Object.defineProperty(result, place.tools.text(key), {
      value: copied,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return result;
}

/** Fields of a credential object that say whose it is. */
function isIdentifying(key: string): boolean {
  return /^(?:id|name|type|user\w*|login|label|host|url|domain|path|created\w*|updated\w*|expires\w*|scope\w*|kind|enabled|.*(?:Id|_id|At|_at))$/i.test(
    key,
  );
}

/** Kind that a `name`, `type` or `label` field gives to the `value` field beside it. */
function namedKind(entries: readonly (readonly [string, unknown])[]): KeyKind | null {
  let best: KeyKind | null = null;
  for (const [key, field] of entries) {
    if (field === true && flagField.test(key)) return 'password';
    if (!namingField.test(key)) continue;
    const names =
      typeof field === 'string'
        ? [field]
        : Array.isArray(field)
          ? field.filter((name) => typeof name === 'string')
          : [];
    for (const name of names) {
      if (name.length > 80) continue;
      const kind = classifyKey(/name=["']?([\w.-]+)/.exec(name)?.[1] ?? name.replace(/^[#.]/, ''));
      if (kind === 'password' || kind === 'cookie' || kind === 'authorization') return kind;
      best = kind ?? best;
    }
  }
  return best === 'hash' ? 'weak' : best;
}

function copyList(list: readonly unknown[], place: Place): unknown[] {
  return list.map((element, i) => {
    const before = list[i - 1];
    const named =
      typeof before === 'string' &&
      typeof element === 'string' &&
      !isPlaceholder(before) &&
      classifyKey(element) === null
        ? classifyKey(before)
        : null;
    const behindNumber =
      typeof list[i - 2] === 'string' && typeof before === 'number' && typeof element === 'string'
        ? classifyKey(String(list[i - 2]))
        : null;
    return copy(element, { ...place, inherited: named ?? behindNumber ?? place.inherited });
  });
}
