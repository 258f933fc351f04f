import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ControlEvent, Controller, ControlLease, LeaseRequest, nextController } from '../src/index.ts';

const sequences = fc.array(fc.constantFrom(...ControlEvent.options), { maxLength: 40 });

/** Applies events one after the other; a refused one changes nothing. */
function walk(start: Controller, events: readonly ControlEvent[]): Controller {
  return events.reduce<Controller>((controller, event) => {
    const next = nextController[controller][event];
    return next === 'refused' ? controller : next;
  }, start);
}

test.each([
  ['automation', 'need_human', 'waiting'],
  ['automation', 'grant', 'human'],
  ['automation', 'hand_back', 'refused'],
  ['automation', 'expire', 'refused'],
  ['automation', 'revoke', 'refused'],
  ['automation', 'resume', 'refused'],
  ['automation', 'close', 'closed'],
  ['waiting', 'need_human', 'waiting'],
  ['waiting', 'grant', 'human'],
  ['waiting', 'hand_back', 'refused'],
  ['waiting', 'expire', 'refused'],
  ['waiting', 'revoke', 'refused'],
  ['waiting', 'resume', 'automation'],
  ['waiting', 'close', 'closed'],
  ['human', 'need_human', 'refused'],
  ['human', 'grant', 'refused'],
  ['human', 'hand_back', 'automation'],
  ['human', 'expire', 'waiting'],
  ['human', 'revoke', 'waiting'],
  ['human', 'resume', 'refused'],
  ['human', 'close', 'closed'],
  ['closed', 'need_human', 'refused'],
  ['closed', 'grant', 'refused'],
  ['closed', 'hand_back', 'refused'],
  ['closed', 'expire', 'refused'],
  ['closed', 'revoke', 'refused'],
  ['closed', 'resume', 'refused'],
  ['closed', 'close', 'refused'],
] as const)('S004-15 control: %s, %s, then %s', (from, event, to) => {
  expect(nextController[from][event]).toBe(to);
});

test('a closed session never comes back, whatever happens', () => {
  fc.assert(
    fc.property(sequences, (events) => {
      expect(walk('closed', events)).toBe('closed');
    }),
  );
});

test('a person who lost control is never followed by automation unasked', () => {
  fc.assert(
    fc.property(fc.constantFrom(...Controller.options), sequences, (start, events) => {
      let controller = start;
      const unasked: ControlEvent[] = [];
      for (const event of events) {
        const next = walk(controller, [event]);
        if (controller === 'human' && next === 'automation' && event !== 'hand_back') unasked.push(event);
        controller = next;
      }
      expect(unasked).toEqual([]);
    }),
  );
});

test('two people never have control: whoever asks second is refused', () => {
  expect(nextController.human.grant).toBe('refused');
  expect(Controller.options.filter((from) => nextController[from].grant === 'human')).toEqual([
    'automation',
    'waiting',
  ]);
});

const sessionId = '3f1c9a52-7a1b-4e0e-9d0b-1f6f0b3f8a11';

test('S004-17 a lease without an end cannot be asked for', () => {
  const ask = (ttlMs: number) => LeaseRequest.safeParse({ sessionId, holder: 'ops@desk', ttlMs }).success;
  expect([ask(0), ask(999), ask(1_000), ask(3_600_000), ask(3_600_001), ask(Number.POSITIVE_INFINITY)]).toEqual([
    false,
    false,
    true,
    true,
    false,
    false,
  ]);
  expect(LeaseRequest.parse({ sessionId, holder: 'ops@desk' }).ttlMs).toBe(300_000);
});

test('a lease is the same after a journey over the wire', () => {
  const wire = {
    id: 'b0f0c6de-55f0-4c6e-8d27-5d2d3b1f7a00',
    sessionId,
    holderKind: 'human',
    holder: 'ops@desk',
    reason: 'captcha on login',
    status: 'active',
    fence: 7,
    acquiredAt: '2026-12-01T12:00:00.000Z',
    expiresAt: '2026-12-01T12:05:00.000Z',
    releasedAt: null,
    releaseReason: null,
  } as const;
  expect(ControlLease.encode(ControlLease.parse(wire))).toEqual(wire);
});
