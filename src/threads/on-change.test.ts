import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIds } from '#core/ids.ts';
import type { NewTurn } from '#core/stores/conversations.ts';
import { openThreads, type OpenedThreads } from '../../test/open-threads.ts';
import { createThreads } from './create-threads.ts';

let at: OpenedThreads;
beforeAll(async () => {
  at = await openThreads();
});
afterAll(() => at.close());

const TURN: NewTurn = { role: 'user', tool: 'chat', content: 'x' };

test('every stored change is notified with its owner, and nothing else is', async () => {
  const { store, clock } = at;
  const told: string[] = [];
  let seed = 0;
  const threads = createThreads({
    store,
    clock,
    newId: createIds(clock, (bytes) => new Uint8Array(bytes).fill(++seed)),
    maxTurns: 10,
    keptDays: 0,
    onChange: (principal, id) => told.push(`${principal} ${id}`),
  });
  const thread = await threads.open({ principal: 'ann', id: undefined, about: 'x' });
  expect(told).toEqual([]);
  await thread.append([TURN]);
  const own = `ann ${thread.id}`;
  expect(told.splice(0)).toEqual([own]);

  const again = await threads.open({ principal: 'ann', id: thread.id, about: 'x' });
  await threads.list('ann', 10);
  await threads.show('ann', thread.id, 10);
  expect(told).toEqual([]);
  await thread.append([TURN]);
  await expect(again.append([TURN], {}, { ifUnchanged: true })).rejects.toMatchObject({
    class: 'conflict',
  });
  expect(told.splice(0)).toEqual([own]);

  await threads.rename('ann', thread.id, 'Other');
  expect(told.splice(0)).toEqual([own]);
  const { id } = await threads.fork('ann', thread.id);
  expect(new Set(told.splice(0))).toEqual(new Set([`ann ${id}`]));
  await threads.delete('ann', thread.id);
  expect(told.splice(0)).toEqual([own]);
  for (const act of [
    () => threads.rename('bob', id, 'Mine'),
    () => threads.delete('bob', id),
    () => threads.fork('bob', id),
    () => threads.delete('ann', thread.id),
  ]) {
    await expect(act()).rejects.toMatchObject({ class: 'not_found' });
  }
  expect(told).toEqual([]);
});
