import { createHash } from 'node:crypto';

/** Where a secret is planted. */
export const surfaces = [
  'password',
  'cookie',
  'header',
  'query',
  'path',
  'table cell',
  'title',
  'file name',
  'download body',
  'upstream error',
  'provider key',
  'database address',
] as const;
export type Surface = (typeof surfaces)[number];

/** A secret that must be found nowhere. */
export interface Canary {
  /** The surface, or the rule whose example holds it. */
  readonly name: string;
  readonly value: string;
}

/** The canaries of one run. */
export type Canaries = Readonly<Record<Surface, string>>;

/** Values that follow from a seed, each different, each as such secrets look. */
export function createCanaries(seed: string): Canaries {
  const digest = (name: string) => createHash('sha256').update(`${seed}:${name}`).digest();
  const hex = (name: string) => digest(name).toString('hex').slice(0, 32);
  const word = (name: string, length: number) =>
    digest(name)
      .toString('base64')
      .replaceAll(/[^A-Za-z0-9]/g, '')
      .slice(0, length);
  return {
    // Characters that every encoding writes in another way.
    password: `Pw"&<'é/+= ${word('password', 12)}`,
    cookie: `ck7${word('cookie', 18)}`,
    header: `hd7${word('header', 20)}`,
    query: `qu7${word('query', 14)}`,
    path: hex('path'),
    'table cell': `tc7${word('table cell', 12)}`,
    title: `ti7${word('title', 16)}`,
    'file name': hex('file name'),
    'download body': hex('download body'),
    'upstream error': `ue7${word('upstream error', 14)}`,
    'provider key': `pk7-${word('provider key', 24)}`,
    'database address': `db@7/${word('database address', 14)}`,
  };
}
