import { expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { CATALOGUE } from '../../test/cases/routing-world.ts';
import { thinkingNotices, thinkingOf, thoughtWish } from './thinking.ts';

function model(id: string) {
  const found = CATALOGUE.find(id);
  if (!found) throw new Error(id);
  return found;
}

const quick = { category: 'fast_response' } as const;
const deep = { category: 'extended_reasoning' } as const;

test('flash and chat do not think, agents and extended reasoning do', () => {
  expect(thoughtWish(deep, 'code', 'glmSpeed')).toEqual({ mode: 'off' });
  expect(thoughtWish({ category: 'balanced' }, 'chat', undefined)).toEqual({ mode: 'off' });
  expect(thoughtWish(quick, 'agentic', 'glmSpeed')).toEqual({ mode: 'on' });
  expect(thoughtWish(deep, 'chat', 'kimiQuality')).toEqual({ mode: 'on' });
  expect(thoughtWish({ category: 'balanced' }, 'code', undefined)).toBeUndefined();
});

test('what the caller says comes first', () => {
  expect(thoughtWish({ ...deep, thinking: 'minimal' }, 'agentic', undefined)).toEqual({
    mode: 'off',
  });
  expect(thoughtWish({ ...quick, thinking: 'max', prefer: 'speed' }, 'chat', 'glmSpeed')).toEqual({
    mode: 'on',
    effort: 'max',
  });
  expect(thoughtWish({ ...deep, prefer: 'speed' }, 'agentic', 'glmQuality')).toEqual({
    mode: 'off',
  });
});

test('a model is asked only for what it can', () => {
  const off = { mode: 'off' } as const;
  expect(thinkingOf(model('glm-4.7-flash'), off)).toEqual({ mode: 'off' });
  expect(thinkingOf(model('kimi-k3'), off)).toEqual({ mode: 'on', effort: 'low' });
  expect(thinkingOf(model('kimi-k2.7-code'), off)).toEqual({ mode: 'on' });
  expect(thinkingOf(model('glm-4-32b-0414-128k'), off)).toBeUndefined();
  expect(thinkingOf(model('glm-5.2'), { mode: 'on', effort: 'low' })).toEqual({
    mode: 'on',
    effort: 'high',
  });
  expect(thinkingOf(model('kimi-k3'), { mode: 'on', effort: 'medium' })).toEqual({
    mode: 'on',
    effort: 'low',
  });
  expect(thinkingOf(model('kimi-k2.6'), { mode: 'on', effort: 'max' })).toEqual({ mode: 'on' });
  expect(thinkingOf(model('kimi-k3'), undefined)).toBeUndefined();
});

test('what cannot be is told', () => {
  expect(thinkingNotices({ thinking: 'minimal' }, model('kimi-k3'))).toEqual([
    notice('model_always_thinks', { model: 'kimi-k3' }),
  ]);
  expect(thinkingNotices({ thinking: 'high' }, model('glm-4-32b-0414-128k'))).toEqual([
    notice('model_never_thinks', { model: 'glm-4-32b-0414-128k', thinking: 'high' }),
  ]);
  expect(thinkingNotices({}, model('kimi-k3'))).toEqual([]);
});
