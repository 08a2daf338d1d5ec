import { expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** Pins, clients, settings and breakers. */
export function registersCases(at: StoreUnderTest): void {
  test('a pin stays as first seen until the very candidate is approved', async () => {
    const { pins } = at.store;
    const pin = { tool: 't', hash: 'h1', definition: { v: 1 }, findings: [] };
    expect(await pins.load('s')).toBeUndefined();
    await pins.pin('s', [pin]);
    await pins.pin('s', [{ ...pin, hash: 'h2' }]);
    const third = { ...pin, hash: 'h3', definition: { v: 3 }, findings: null, renamedFrom: 'u' };
    await pins.hold('s', [third], []);
    expect(await pins.load('s')).toMatchObject({
      pins: [{ tool: 't', hash: 'h1', approval: 'first_sight', findings: [] }],
      candidates: [{ tool: 't', hash: 'h3', decision: 'waiting', renamedFrom: 'u' }],
    });
    await expect(pins.decide('s', 't', 'h2', 'approved')).rejects.toMatchObject({
      class: 'not_found',
    });
    await pins.decide('s', 't', 'h3', 'approved');
    expect(await pins.show('s', 't')).toEqual({
      pinned: { hash: 'h3', definition: { v: 3 }, findings: null },
    });
    expect(await pins.load('s')).toMatchObject({
      pins: [{ hash: 'h3', approval: 'owner' }],
      candidates: [],
    });
    await pins.remove('s');
    expect(await pins.load('s')).toBeUndefined();
  });

  test('any decision about a tool ends the shortcut of an approved list', async () => {
    const { pins } = at.store;
    const pin = { tool: 't', hash: 'h1', definition: {}, findings: null };
    await pins.pin('s', [pin]);
    await pins.saveFindings('s', [{ tool: 't', hash: 'h1', findings: [] }]);
    await pins.saveApprovedList('s', 'list');
    expect(await pins.load('s')).toMatchObject({
      approvedListHash: 'list',
      pins: [{ findings: [] }],
    });
    await pins.decide('s', 't', 'h1', 'rejected');
    expect(await pins.load('s')).toMatchObject({
      approvedListHash: '',
      pins: [{ approval: 'rejected' }],
    });
    await pins.hold('s', [{ ...pin, tool: 'u', renamedFrom: null }], []);
    await pins.decide('s', 'u', 'h1', 'rejected');
    expect(await pins.load('s')).toMatchObject({ candidates: [{ decision: 'rejected' }] });
    await pins.hold('s', [], ['u']);
    expect(await pins.load('s')).toMatchObject({ candidates: [] });
  });

  test('clients are found by the digest of their token, and expire', async () => {
    await at.store.clients.add(client('client_1', 'd1'));
    expect(await at.store.clients.byToken('d1')).toMatchObject({
      name: 'ide',
      principal: 'ide#2',
      scopes: ['*'],
      expiresAt: null,
    });
    await at.store.clients.expire('client_1', 5);
    expect(await at.store.clients.list()).toMatchObject([{ id: 'client_1', expiresAt: 5 }]);
    expect(await at.store.clients.byToken('other')).toBeUndefined();
  });

  verifies(
    'security:client-identity',
    'what a principal left is known, of whichever kind',
    async () => {
      const { clients, conversations, jobs, results } = at.store;
      const left: Record<string, () => Promise<unknown>> = {
        conversation: () =>
          conversations.create({ id: 'conv_left', principal: 'conversation', title: 'x' }),
        async job() {
          const lease = await jobs.adopt(
            { id: 'job_left', principal: 'job', tool: 't', input: 1 },
            'here',
            1000,
          );
          await jobs.finish(lease, { status: 'done', result: 1 });
        },
        result: () =>
          results.keep({
            id: 'res_left',
            principal: 'result',
            tool: 't',
            reqId: 'req_1',
            text: 'x',
          }),
      };
      for (const [principal, leave] of Object.entries(left)) {
        const before = await clients.hasData(principal);
        await leave();
        const after = await clients.hasData(principal);
        const other = await clients.hasData(`${principal}#2`);
        expect({ principal, before, after, other }).toEqual({
          principal,
          before: false,
          after: true,
          other: false,
        });
      }
    },
  );

  test('a token is replaced by another of the same client, both at once or neither', async () => {
    const { clients } = at.store;
    await clients.add(client('client_a', 'da'));
    await clients.replace('client_a', client('client_b', 'db'), 7);
    expect((await clients.list()).slice(-2)).toMatchObject([
      { id: 'client_a', expiresAt: 7 },
      { id: 'client_b', expiresAt: null },
    ]);
    const nobody = client('client_3', 'd3');
    await expect(clients.replace('client_9', nobody, 7)).rejects.toMatchObject({
      class: 'not_found',
    });
    expect(await clients.byToken('d3')).toBeUndefined();
  });

  test('a setting that is to be kept is the first that anybody gave', async () => {
    const { settings } = at.store;
    const given = ['one', 'two', 'three', { four: 4 }];
    const got = await Promise.all(given.map((value) => settings.keep('kept', value)));
    const [first] = got;
    expect(given).toContainEqual(first);
    expect(got).toEqual(given.map(() => first));
    expect(await settings.get('kept')).toEqual(first);
    await settings.set('kept', 'changed');
    expect(await settings.keep('kept', 'late')).toBe('changed');
    await settings.delete('kept');
    expect(await settings.keep('kept', 'late')).toBe('late');
  });

  test('settings and breakers keep the last value given', async () => {
    await at.store.settings.set('a', { n: 1 });
    await at.store.settings.set('a', [2]);
    expect(await at.store.settings.get('a')).toEqual([2]);
    await at.store.settings.delete('a');
    expect(await at.store.settings.get('a')).toBeUndefined();
    await at.store.breakers.save('kimi', { is: 'open' });
    await at.store.breakers.save('kimi', { is: 'closed' });
    expect(await at.store.breakers.all()).toEqual([
      { key: 'kimi', state: { is: 'closed' }, updatedAt: at.clock.now() },
    ]);
  });
}

function client<Of extends string>(id: `client_${Of}`, tokenSha256: string) {
  return { id, name: 'ide', principal: 'ide#2', tokenSha256, scopes: ['*'] };
}
