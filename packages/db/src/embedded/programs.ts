import { join } from 'node:path';
import type { RunAs } from './identity.ts';

/** Program, arguments and options for `spawn`, as the identity wants it. Nothing of our environment is passed on. */
export function postgresCommand(identity: RunAs, program: string, args: readonly string[]) {
  const [first = '', ...rest] = [...identity.before, join(identity.bin, program), ...args];
  const env = { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' };
  return [first, rest, { ...identity.spawnAs, cwd: '/', env }] as const;
}

/** The line that says why a Postgres program gave up, at most 200 characters. */
export function reasonIn(output: string): string {
  const lines = output.split('\n');
  const said = lines.find((line) => /\b(FATAL|PANIC|error):/.test(line)) ?? lines.find((line) => line.trim() !== '');
  return (said ?? 'it said nothing').replace(/^.*?\b(FATAL|PANIC|error):\s*/, '').slice(0, 200);
}
