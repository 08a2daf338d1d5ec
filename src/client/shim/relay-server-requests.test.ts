import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { answer, comeBack, initialised, notify, parsed, request } from './relay.fixture.ts';

describe('what a daemon asked', () => {
  const ask = request('exai-1', 'elicitation/create', { message: 'Name?' });
  const cancelled = (requestId: string) =>
    expect.objectContaining({
      method: 'notifications/cancelled',
      params: expect.objectContaining({ requestId }) as object,
    }) as object;

  verifies('shim:questions', 'is cancelled with it, and a late answer is dropped', async () => {
    const world = await initialised();
    world.first.say(ask);
    world.first.drop();
    const second = await comeBack(world);
    expect(parsed(world.told.splice(0))).toContainEqual(cancelled('exai-1'));
    const other = request('exai-2', 'elicitation/create', { message: 'Name?' });
    second.say(other);
    expect(world.told).toEqual([other]);
    second.sent.length = 0;
    world.relay.fromClient(answer('exai-1', { of: 'the first' }));
    expect(second.sent).toEqual([]);
    world.relay.fromClient(answer('exai-2', { of: 'the second' }));
    world.relay.fromClient(answer('exai-2', { of: 'nothing any more' }));
    expect(second.sent).toEqual([answer('exai-2', { of: 'the second' })]);
  });

  test('and took back itself is not answered any more, nor taken back twice', async () => {
    const world = await initialised();
    const withdrawn = notify('notifications/cancelled', { requestId: 'exai-1', reason: 'Late.' });
    world.first.say(ask);
    world.first.say(withdrawn);
    expect(world.told.splice(0)).toEqual([ask, withdrawn]);
    world.relay.fromClient(answer('exai-1'));
    expect(world.first.sent).toEqual([]);
    world.first.drop();
    expect(world.told).toEqual([]);
  });

  test('and others’ cancellations pass as they are', async () => {
    const world = await initialised();
    world.first.drop();
    const second = await comeBack(world);
    world.told.length = 0;
    const lines = [{ requestId: 'nobody-asked' }, { requestId: {} }, {}].map((params) =>
      notify('notifications/cancelled', params),
    );
    for (const line of lines) second.say(line);
    expect(world.told).toEqual(lines);
  });
});
