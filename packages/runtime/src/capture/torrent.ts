import { createHash } from 'node:crypto';
import type { TorrentFacts } from '../ingest/sink.ts';
import { BencodeError, type BencodeProblem, type BencodeValue, readBencode } from './bencode.ts';

/** Why a file is no torrent that may be handed on. */
export type TorrentProblem =
  | BencodeProblem
  | 'empty'
  | 'too-large'
  | 'html'
  | 'json'
  | 'no-info'
  | 'negative-length'
  | 'pieces'
  | 'path'
  | 'path-traversal';

export type JudgedTorrent =
  | { readonly valid: true; readonly facts: TorrentFacts; readonly files: number }
  | { readonly valid: false; readonly problem: TorrentProblem };

/** Largest torrent that is judged, bytes. Those of private sites are below 10 MB. */
export const maxTorrentBytes = 32 * 1024 * 1024;

/**
 * Judges the bytes of a `.torrent`: strict bencode, an info dictionary that is complete and stays inside its folder,
 * and the info-hash over the raw bytes of that dictionary (source: BEP 3, BEP 52). Pure; never throws.
 */
export function judgeTorrent(bytes: Uint8Array): JudgedTorrent {
  const fail = (problem: TorrentProblem) => ({ valid: false, problem }) as const;
  if (bytes.length === 0) return fail('empty');
  if (bytes.length > maxTorrentBytes) return fail('too-large');
  const page = pageInstead(bytes);
  if (page !== null) return fail(page);
  try {
    const info = infoOf(readBencode(bytes));
    if (info === null) return fail('no-info');
    const files = checkInfo(info.entries);
    const raw = bytes.subarray(info.start, info.end);
    const hash = (algorithm: string) => createHash(algorithm).update(raw).digest('hex');
    const isV2 = integer(info.entries.get('meta version')) === 2n;
    const isV1 = info.entries.has('pieces');
    const facts = { infoHashV1: isV1 ? hash('sha1') : null, infoHashV2: isV2 ? hash('sha256') : null };
    return isV1 || isV2 ? { valid: true, facts, files } : fail('pieces');
  } catch (thrown) {
    if (thrown instanceof BencodeError || thrown instanceof Refusal) return fail(thrown.problem);
    throw thrown;
  }
}

class Refusal extends Error {
  readonly problem: TorrentProblem;

  constructor(problem: TorrentProblem) {
    super(problem);
    this.problem = problem;
  }
}

/** A page or an answer of the site's own interface, sent in place of the file. */
function pageInstead(bytes: Uint8Array): 'html' | 'json' | null {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1').trimStart().toLowerCase();
  if (/^(?:<!doctype html|<html|<head|<body|<script|<!--|<meta|<title)/.test(start)) return 'html';
  return /^[{[]/.test(start) ? 'json' : null;
}

type Dictionary = Extract<BencodeValue, { kind: 'dictionary' }>;

function infoOf(root: BencodeValue): Dictionary | null {
  const info = root.kind === 'dictionary' ? root.entries.get('info') : undefined;
  return info?.kind === 'dictionary' ? info : null;
}

/** Checks an info dictionary and resolves with how many files it lists. */
function checkInfo(info: ReadonlyMap<string, BencodeValue>): number {
  checkName(info.get('name'));
  checkName(info.get('name.utf-8'), 'optional');
  const pieceLength = length(info.get('piece length'));
  if (pieceLength <= 0n) throw new Refusal('pieces');
  const tree = info.get('file tree');
  const treeFiles = tree === undefined ? 0 : checkTree(tree);
  const pieces = info.get('pieces');
  if (pieces === undefined) {
    if (tree === undefined) throw new Refusal('pieces');
    return treeFiles;
  }
  const files = info.get('files');
  const sizes = files === undefined ? [length(info.get('length'))] : filesOf(files);
  const total = sizes.reduce((sum, size) => sum + size, 0n);
  if (pieces.kind !== 'string' || pieces.bytes.length % 20 !== 0) throw new Refusal('pieces');
  if (BigInt(pieces.bytes.length / 20) !== (total + pieceLength - 1n) / pieceLength) throw new Refusal('pieces');
  return sizes.length;
}

function filesOf(files: BencodeValue): bigint[] {
  if (files.kind !== 'list' || files.items.length === 0) throw new Refusal('no-info');
  return files.items.map((file) => {
    if (file.kind !== 'dictionary') throw new Refusal('no-info');
    for (const key of ['path', 'path.utf-8']) {
      const path = file.entries.get(key);
      if (path === undefined && key !== 'path') continue;
      if (path?.kind !== 'list' || path.items.length === 0) throw new Refusal('path');
      for (const part of path.items) checkName(part);
    }
    return length(file.entries.get('length'));
  });
}

/** The tree of version 2: folders by name, a file is what stands under the empty name. */
function checkTree(tree: BencodeValue): number {
  if (tree.kind !== 'dictionary') throw new Refusal('no-info');
  let files = 0;
  for (const [name, below] of tree.entries) {
    if (below.kind !== 'dictionary') throw new Refusal('no-info');
    if (name === '') {
      length(below.entries.get('length'));
      return 1;
    }
    checkPart(Buffer.from(name, 'latin1').toString('utf8'));
    files += checkTree(below);
  }
  return files;
}

function checkName(name: BencodeValue | undefined, optional?: 'optional'): void {
  if (name === undefined && optional !== undefined) return;
  if (name?.kind !== 'string') throw new Refusal('no-info');
  checkPart(Buffer.from(name.bytes).toString('utf8'));
}

/** Device names of Windows: a program there opens the device instead of a file. */
const deviceName = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/** One part of a path: it may not lead anywhere, on no system that might write it. */
function checkPart(part: string): void {
  if (part === '..' || part === '.' || /[/\\]/.test(part) || /^[a-z]:/i.test(part)) throw new Refusal('path-traversal');
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (part === '' || part.length > 255 || /[\u0000-\u001f]/.test(part) || deviceName.test(part))
    throw new Refusal('path');
}

function integer(value: BencodeValue | undefined): bigint | null {
  return value?.kind === 'integer' ? value.value : null;
}

function length(value: BencodeValue | undefined): bigint {
  const size = integer(value);
  if (size === null) throw new Refusal('no-info');
  if (size < 0n) throw new Refusal('negative-length');
  return size;
}
