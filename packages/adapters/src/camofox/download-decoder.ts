import { BrowserError } from '@wheelhouse/contracts';
import type { z } from 'zod';
import { DownloadsWire } from './wire.ts';

const [quote, backslash, openBrace] = [0x22, 0x5c, 0x7b] as const;

/** Most characters of an answer besides the files: twenty records of some hundred characters each. */
const maxSkeleton = 1024 * 1024;
/** The key whose text is a file. */
const dataKey = '"dataBase64":';
/** A text that follows this many characters of a record is looked at for the key. */
const keyWindow = dataKey.length + 8;

/**
 * Takes one file out of the answer `{"downloads":[{"id":…,"dataBase64":"…"}, …]}` while it arrives: a file of a gigabyte
 * is 1.4 GB of text there, more than a string may hold. The files' text is skipped (or decoded) by its closing quote;
 * what is left is small, and is parsed and checked as any other answer.
 */
export class DownloadDecoder {
  readonly #id: string;
  /** The answer without the text of files. */
  #skeleton = '';
  /** Where the record that is being read begins in the skeleton. */
  #record = 0;
  #inside: 'structure' | 'string' | 'file' | 'other-file' = 'structure';
  #escaped = false;
  /** One to three base64 characters that wait for the rest of their group. */
  #carry = '';

  /** @param id of the download whose bytes are wanted */
  constructor(id: string) {
    this.#id = id;
  }

  /**
   * Takes the next part of the answer and returns what it holds of the file.
   *
   * @throws BrowserError `unexpected_shape` when the answer is not of that form
   */
  push(part: Buffer): Uint8Array {
    const decoded: Buffer[] = [];
    for (let at = 0; at < part.length;) {
      if (this.#inside === 'file' || this.#inside === 'other-file') {
        const found = part.indexOf(quote, at);
        const end = found < 0 ? part.length : found;
        if (this.#inside === 'file') decoded.push(this.#decode(part.toString('latin1', at, end), found >= 0));
        at = found < 0 ? end : this.#leaveFile(end);
      } else {
        at = this.#structure(part, at);
      }
    }
    return decoded.length === 1 ? (decoded[0] ?? new Uint8Array()) : Buffer.concat(decoded);
  }

  /**
   * The records of the answer, files left out (`''`).
   *
   * @throws BrowserError `unexpected_shape`
   */
  end(): z.infer<typeof DownloadsWire>['downloads'] {
    try {
      return DownloadsWire.parse(JSON.parse(Buffer.from(this.#skeleton, 'latin1').toString('utf8'))).downloads;
    } catch (cause) {
      throw misshapen(cause);
    }
  }

  /** Reads on up to the start of a file's text. Returns where it stopped. */
  #structure(part: Buffer, from: number): number {
    let at = from;
    for (; at < part.length; at += 1) {
      const byte = part[at];
      if (this.#escaped) this.#escaped = false;
      else if (this.#inside === 'string') {
        if (byte === backslash) this.#escaped = true;
        else if (byte === quote) this.#inside = 'structure';
      } else if (byte === quote) {
        if (this.#beforeFile(part, from, at)) {
          this.#keep(part, from, at + 1);
          this.#inside = this.#isWanted() ? 'file' : 'other-file';
          return at + 1;
        }
        this.#inside = 'string';
      } else if (byte === openBrace) this.#record = this.#skeleton.length + at - from;
    }
    this.#keep(part, from, at);
    return at;
  }

  #beforeFile(part: Buffer, from: number, at: number): boolean {
    const here = part.toString('latin1', Math.max(from, at - keyWindow), at);
    const before = here.length < keyWindow ? this.#skeleton.slice(here.length - keyWindow) + here : here;
    return before.trimEnd().replace(/\s*:$/, ':').endsWith(dataKey);
  }

  /** Whether the record that is being read is the one asked for: its id stands before its data. */
  #isWanted(): boolean {
    const begun = Buffer.from(this.#skeleton.slice(this.#record), 'latin1').toString('utf8');
    try {
      const record: unknown = JSON.parse(`${begun}"}`);
      if (typeof record === 'object' && record !== null && 'id' in record) return record.id === this.#id;
    } catch (cause) {
      throw misshapen(cause);
    }
    throw misshapen(undefined);
  }

  #keep(part: Buffer, from: number, to: number): void {
    this.#skeleton += part.toString('latin1', from, to);
    if (this.#skeleton.length > maxSkeleton) throw misshapen(undefined);
  }

  #leaveFile(end: number): number {
    this.#inside = 'structure';
    this.#skeleton += '"';
    return end + 1;
  }

  #decode(text: string, isLast: boolean): Buffer {
    const whole = this.#carry + text;
    const usable = isLast ? whole.length : whole.length - (whole.length % 4);
    this.#carry = whole.slice(usable);
    return Buffer.from(usable === whole.length ? whole : whole.slice(0, usable), 'base64');
  }
}

function misshapen(cause: unknown): BrowserError {
  return new BrowserError('unexpected_shape', 'the list of downloads has another shape than expected', { cause });
}
