import { createServer } from 'node:net';

/** Whether nobody listens on this port of 127.0.0.1 right now. */
export async function portIsFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer().listen(port, '127.0.0.1', () => probe.close(() => done(true)));
    probe.once('error', () => done(false));
  });
}

/** A port of 127.0.0.1 that was free a moment ago. Somebody else may take it first: the caller tries again. */
export async function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address !== null ? done(address.port) : failed(new Error('no port')),
      );
    });
    probe.once('error', failed);
  });
}
