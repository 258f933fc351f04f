/** Why bytes are no bencode: the words that verification reports. */
export type BencodeProblem =
  | 'not-bencode'
  | 'truncated'
  | 'syntax'
  | 'overflow'
  | 'too-deep'
  | 'unsorted-keys'
  | 'duplicate-key'
  | 'trailing-data';

/** Bytes that break the rules. `at` is the first byte that does. */
export class BencodeError extends Error {
  readonly problem: BencodeProblem;
  readonly at: number;

  constructor(problem: BencodeProblem, at: number) {
    super(`${problem} at byte ${at}`);
    this.name = 'BencodeError';
    this.problem = problem;
    this.at = at;
  }
}

/** Where a value stands in the bytes: from `start` up to, not including, `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
}

export type BencodeValue = Span &
  (
    | { readonly kind: 'integer'; readonly value: bigint }
    /** A view of the bytes, not a copy. */
    | { readonly kind: 'string'; readonly bytes: Uint8Array }
    | { readonly kind: 'list'; readonly items: readonly BencodeValue[] }
    /** Keys as Latin-1, so that no byte is lost. */
    | { readonly kind: 'dictionary'; readonly entries: ReadonlyMap<string, BencodeValue> }
  );

/** Deeper than any torrent: files, path and the tree of version 2 need about a dozen levels. */
const maxDepth = 100;
const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);

const [i, l, d, e, colon, minus, zero, nine] = [0x69, 0x6c, 0x64, 0x65, 0x3a, 0x2d, 0x30, 0x39] as const;

/**
 * Reads one bencoded value that takes up all the bytes (source: BEP 3). Strict where lenient readers differ, since two
 * programs that read a file differently take it for two files: no leading zeros, no `-0`, keys in order and once,
 * nothing behind the end. Nothing is allocated by a length that is only claimed.
 *
 * @throws BencodeError
 */
export function readBencode(bytes: Uint8Array): BencodeValue {
  const reader = new Reader(bytes);
  const value = reader.value(0);
  if (value.end < bytes.length) throw new BencodeError('trailing-data', value.end);
  return value;
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  value(depth: number): BencodeValue {
    const start = this.#at;
    const first = this.#bytes[start];
    if (first === undefined) throw new BencodeError('truncated', start);
    if (depth > maxDepth) throw new BencodeError('too-deep', start);
    if (first === i) return this.#integer(start);
    if (first === l) return this.#list(start, depth);
    if (first === d) return this.#dictionary(start, depth);
    if (isDigit(first)) return { kind: 'string', bytes: this.#string(), start, end: this.#at };
    throw new BencodeError(start === 0 ? 'not-bencode' : 'syntax', start);
  }

  #integer(start: number): BencodeValue {
    this.#at += 1;
    const value = this.#number(e);
    return { kind: 'integer', value, start, end: this.#at };
  }

  #list(start: number, depth: number): BencodeValue {
    this.#at += 1;
    const items: BencodeValue[] = [];
    while (!this.#ends()) items.push(this.value(depth + 1));
    return { kind: 'list', items, start, end: this.#at };
  }

  #dictionary(start: number, depth: number): BencodeValue {
    this.#at += 1;
    const entries = new Map<string, BencodeValue>();
    let last: string | null = null;
    while (!this.#ends()) {
      const keyAt = this.#at;
      if (!isDigit(this.#bytes[keyAt] ?? 0)) throw new BencodeError('syntax', keyAt);
      const key = Buffer.from(this.#string()).toString('latin1');
      if (entries.has(key)) throw new BencodeError('duplicate-key', keyAt);
      if (last !== null && key < last) throw new BencodeError('unsorted-keys', keyAt);
      last = key;
      entries.set(key, this.value(depth + 1));
    }
    return { kind: 'dictionary', entries, start, end: this.#at };
  }

  #string(): Uint8Array {
    const at = this.#at;
    const length = this.#number(colon);
    if (length > BigInt(this.#bytes.length - this.#at)) throw new BencodeError('truncated', at);
    const start = this.#at;
    this.#at += Number(length);
    return this.#bytes.subarray(start, this.#at);
  }

  /** Whether the list or dictionary ends here; steps over its end. */
  #ends(): boolean {
    const next = this.#bytes[this.#at];
    if (next === undefined) throw new BencodeError('truncated', this.#at);
    if (next !== e) return false;
    this.#at += 1;
    return true;
  }

  /** Digits up to `until`, which is stepped over. Only integers have a sign. */
  #number(until: number): bigint {
    const start = this.#at;
    const signed = until === e && this.#bytes[start] === minus;
    let end = signed ? start + 1 : start;
    const digits = end;
    while (isDigit(this.#bytes[end] ?? 0)) end += 1;
    const stop = this.#bytes[end];
    if (stop === undefined) throw new BencodeError('truncated', end);
    const leadingZero = this.#bytes[digits] === zero && (end - digits > 1 || signed);
    if (stop !== until || end === digits || leadingZero)
      throw new BencodeError('syntax', end === digits ? end : digits);
    // Twenty digits are more than 2^63 already; a longer number would only cost time.
    if (end - digits > 19) throw new BencodeError(until === colon ? 'truncated' : 'overflow', digits);
    const value = BigInt(Buffer.from(this.#bytes.subarray(start, end)).toString('latin1'));
    if (value > maxInt64 || value < minInt64) throw new BencodeError('overflow', digits);
    this.#at = end + 1;
    return value;
  }
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= nine;
}
