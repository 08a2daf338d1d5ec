import { describe, expect, test } from 'vitest';
import type { AskedBy, Manager } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import type { Embedder } from '#core/embed.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createChanges, tellingEmbedder, tellingManager } from './changes.ts';
import { createTeller } from './teller.ts';

function listen() {
  const clock = createFakeClock();
  const heard: string[] = [];
  const touch = (uri: string, principal: string) => {
    heard.push(`${principal} ${uri}`);
  };
  const told = () => heard.splice(0);
  return { clock, touch, told };
}

describe('a change', () => {
  test('is told at once, and again at most once a second, the last one always', () => {
    const { clock, touch, told } = listen();
    const tell = createTeller(touch, clock);
    tell('a', 'ann', 'now');
    expect(told()).toEqual(['ann a']);
    for (let n = 0; n < 50; n++) tell('a', 'ann', 'now');
    clock.advance(999);
    expect(told()).toEqual([]);
    clock.advance(1);
    expect(told()).toEqual(['ann a']);
    tell('a', 'ann', 'now');
    clock.advance(999);
    expect(told()).toEqual([]);
    clock.advance(1);
    expect(told()).toEqual(['ann a']);
    clock.advance(1_000);
    expect(told()).toEqual([]);
    expect(clock.waiting).toBe(0);
    tell('a', 'ann', 'now');
    expect(told()).toEqual(['ann a']);
  });

  test('of one address or principal keeps no other waiting', () => {
    const { clock, touch, told } = listen();
    const tell = createTeller(touch, clock);
    tell('a', 'ann', 'now');
    tell('b', 'ann', 'now');
    tell('a', 'bob', 'now');
    expect(told()).toEqual(['ann a', 'ann b', 'bob a']);
  });

  test('that can be read only a moment later is told then', () => {
    const { clock, touch, told } = listen();
    const tell = createTeller(touch, clock);
    tell('a', 'ann', 'soon');
    tell('a', 'ann', 'soon');
    expect(told()).toEqual([]);
    clock.advance(1_000);
    expect(told()).toEqual(['ann a']);
    clock.advance(1_000);
    expect([told(), clock.waiting]).toEqual([[], 0]);
  });

  test('of very many addresses at once takes bounded memory and loses none', () => {
    const { clock, touch, told } = listen();
    const tell = createTeller(touch, clock);
    for (let n = 0; n < 10_100; n++) tell(`t${n}`, 'ann', n % 2 === 0 ? 'now' : 'soon');
    expect(clock.waiting).toBe(10_000);
    const early = told().length;
    clock.advance(1_000);
    expect(early + told().length).toBe(10_100);
  });
});

describe('news', () => {
  test('of a conversation goes to its owner, of the thread and of the list', () => {
    const { clock, touch, told } = listen();
    createChanges(touch, clock).threadChanged('ann', 'conv_1');
    expect(told()).toEqual(['ann exai://threads/conv_1', 'ann exai://threads']);
  });

  test('of usage goes to who asked and to the owner, of the log to the owner alone', () => {
    const { clock, touch, told } = listen();
    const changes = createChanges(touch, clock);
    changes.used('ann');
    changes.used('local');
    expect(told()).toEqual(['ann exai://usage', 'local exai://usage']);
    clock.advance(1_000);
    // The owner's own came while that address rested.
    expect(told()).toEqual(['local exai://usage']);
    changes.logWritten();
    expect(told()).toEqual([]);
    clock.advance(1_000);
    expect(told()).toEqual(['local exai://logs']);
  });

  test('comes after each use of a model, well or not, and by nothing else', async () => {
    const used: string[] = [];
    const order: string[] = [];
    const by = { caller: { principal: 'ann' } } as unknown as AskedBy;
    const manager = {
      async ask() {
        order.push('asked');
        throw new CallError('timeout', 'late');
      },
      classify: async () => ({}),
      explain: async () => ({}),
    } as unknown as Manager;
    const telling = tellingManager(manager, (principal) => {
      order.push('told');
      used.push(principal);
    });
    await expect(telling.ask({} as never, by)).rejects.toMatchObject({ class: 'timeout' });
    expect(order).toEqual(['asked', 'told']);
    await telling.classify({} as never, by);
    await telling.explain({} as never, by, 'plan_only');
    const embedder = { embed: async () => ({}) } as unknown as Embedder;
    await tellingEmbedder(embedder, (who) => used.push(`${who} embeds`)).embed({} as never, by);
    expect(used).toEqual(['ann', 'ann', 'ann embeds']);
  });
});
