import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { createFakeClock } from '../../test/fake-clock.ts';
import { createStateSeal } from './request-state.ts';

const owner = { principal: 'local', credential: '', tool: 'chat', argsSha256: 'abc' };
const state = { answers: { name: { action: 'accept' } }, asked: ['color'], reqId: 'req_1' };

function createSeal() {
  const clock = createFakeClock();
  return { clock, seal: createStateSeal(new Uint8Array(32).fill(7), clock) };
}

test('a state opens for the call it was given to, and for no other', () => {
  const { seal } = createSeal();
  const text = seal.close(owner, state);
  expect(seal.open(owner, text)).toMatchObject(state);
  for (const other of [
    { principal: 'ada' },
    { credential: 'client_2' },
    { tool: 'edit' },
    { argsSha256: 'abd' },
  ]) {
    expect(() => seal.open({ ...owner, ...other }, text)).toThrow('it belongs to another call');
  }
});

verifies('mcp:rounds', 'a state that was changed anywhere is refused', () => {
  const { seal } = createSeal();
  const text = seal.close(owner, state);
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.string({ minLength: 1, maxLength: 2 }), (at, put) => {
      fc.pre(put !== text[at]);
      const changed = text.slice(0, at) + put + text.slice(at + 1);
      expect(() => seal.open(owner, changed)).toThrow('it was changed');
    }),
  );
  for (const bad of ['', '.', `${text}-TAMPERED`, `${text}.x`, text.split('.')[0] ?? '']) {
    expect(() => seal.open(owner, bad)).toThrow('it was changed');
  }
});

test('a state of another key, or of yesterday, is refused', () => {
  const { seal, clock } = createSeal();
  const other = createStateSeal(new Uint8Array(32), clock);
  expect(() => seal.open(owner, other.close(owner, state))).toThrow('it was changed');
  const text = seal.close(owner, state);
  clock.advance(24 * 60 * 60 * 1000 + 1);
  expect(() => seal.open(owner, text)).toThrow('it is too old');
});

test('answers without end are not carried about', () => {
  const { seal } = createSeal();
  const answers = { essay: { text: 'x'.repeat(300_000) } };
  expect(() => seal.close(owner, { answers, asked: [], reqId: 'req_1' })).toThrow('too long');
});
