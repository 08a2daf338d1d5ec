import { expect, test } from 'vitest';
import { chooseClients } from './choose-clients.ts';

test('clients are named by commas, each once', () => {
  expect(chooseClients('zed, cursor,zed,')?.map(({ id }) => id)).toEqual(['zed', 'cursor']);
  expect(chooseClients(undefined)).toBeUndefined();
});

test.each(['cursr', 'Zed', '__proto__'])('%s is not one of them', (id) => {
  expect(() => chooseClients(id)).toThrow(/No client is called/);
});
