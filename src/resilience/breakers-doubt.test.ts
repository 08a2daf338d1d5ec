import { describe, expect, test } from 'vitest';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { verifies } from '../../test/verifies.ts';
import { failTimes, K2, K3, permit, createTestBreakers } from './breakers.fixture.ts';
import type { Breakers } from './breaker-types.ts';

function doubt(
  breakers: Breakers,
  doubtfulFor: string,
  times = 1,
  errorClass: ErrorClass = 'empty_response',
): void {
  for (let turn = 0; turn < times; turn++)
    permit(breakers).failure({ class: errorClass, doubtfulFor });
}

describe('a failure that follows from the request', () => {
  verifies('security:shared-breakers', 'opens no breaker, however often it comes', () => {
    const { breakers } = createTestBreakers();
    for (let turn = 0; turn < 50; turn++)
      permit(breakers).failure({ class: 'bad_response', dueTo: 'request' });
    expect(breakers.all()).toEqual([]);
  });

  test('leaves the account open, whatever its class', () => {
    const { breakers } = createTestBreakers();
    permit(breakers).failure({ class: 'billing', dueTo: 'request' });
    expect(breakers.tryAcquire(K2).is).toBe('granted');
  });

  test('frees the slot of a probe', () => {
    const { breakers, clock } = createTestBreakers();
    failTimes(breakers, 'network', 4);
    clock.advance(10_000);
    permit(breakers).failure({ class: 'bad_response', dueTo: 'request' });
    expect(breakers.tryAcquire(K3).is).toBe('granted');
  });
});

describe('a failure that its principal may have caused', () => {
  verifies('security:shared-breakers', 'opens no breaker while one principal sees it', () => {
    const { breakers } = createTestBreakers();
    doubt(breakers, 'ci', 50);
    expect(breakers.look(K3)).toMatchObject({ is: 'closed', failures: 0 });
  });

  verifies('security:shared-breakers', 'counts once another principal has seen it, too', () => {
    const { breakers } = createTestBreakers();
    doubt(breakers, 'ci', 9);
    doubt(breakers, 'agent', 3);
    expect(breakers.look(K3)).toMatchObject({ is: 'closed', failures: 3 });
    doubt(breakers, 'ci');
    expect(breakers.look(K3)).toMatchObject({ is: 'open', failures: 4 });
  });

  test('stops counting when the other principal’s failure is a window ago', () => {
    const { breakers, clock } = createTestBreakers();
    doubt(breakers, 'ci');
    clock.advance(60_001);
    doubt(breakers, 'agent', 9);
    expect(breakers.look(K3)).toMatchObject({ is: 'closed', failures: 0 });
  });

  test('is remembered across successes', () => {
    const { breakers } = createTestBreakers();
    doubt(breakers, 'ci');
    permit(breakers).success();
    doubt(breakers, 'agent');
    expect(breakers.look(K3)).toMatchObject({ calls: 2, failures: 1 });
  });

  test('does not end a probe: the next call probes again', () => {
    const { breakers, clock } = createTestBreakers();
    failTimes(breakers, 'network', 4);
    clock.advance(10_000);
    doubt(breakers, 'ci');
    permit(breakers).success();
    expect(breakers.look(K3).is).toBe('closed');
  });
});

test('other failures count for every principal', () => {
  const { breakers } = createTestBreakers();
  failTimes(breakers, 'bad_response', 4);
  expect(breakers.look(K3).is).toBe('open');
});
