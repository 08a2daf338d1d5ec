import { expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { CATALOGUE } from '../../../test/cases/routing-sketch.ts';
import { thinkingNotices, resolveThinking, requestedEffort } from './thinking.ts';

function model(id: string) {
  const found = CATALOGUE.find(id);
  if (!found) throw new Error(id);
  return found;
}

const quick = { category: 'fast_response' } as const;
const deep = { category: 'extended_reasoning' } as const;

test('flash and chat do not think, agents and extended reasoning do', () => {
  expect(requestedEffort(deep, 'code', 'glmSpeed')).toEqual({ mode: 'off' });
  expect(requestedEffort({ category: 'balanced' }, 'chat', undefined)).toEqual({ mode: 'off' });
  expect(requestedEffort(quick, 'agentic', 'glmSpeed')).toEqual({ mode: 'on' });
  expect(requestedEffort(deep, 'chat', 'kimiQuality')).toEqual({ mode: 'on' });
  expect(requestedEffort({ category: 'balanced' }, 'code', undefined)).toBeUndefined();
});

test('the caller’s argument comes first', () => {
  expect(requestedEffort({ ...deep, thinking: 'minimal' }, 'agentic', undefined)).toEqual({
    mode: 'off',
  });
  expect(
    requestedEffort({ ...quick, thinking: 'max', prefer: 'speed' }, 'chat', 'glmSpeed'),
  ).toEqual({
    mode: 'on',
    effort: 'max',
  });
  expect(requestedEffort({ ...deep, prefer: 'speed' }, 'agentic', 'glmQuality')).toEqual({
    mode: 'off',
  });
});

test('a model gets only what it supports', () => {
  const off = { mode: 'off' } as const;
  expect(resolveThinking(model('glm-4.7-flash'), off)).toEqual({ mode: 'off' });
  expect(resolveThinking(model('kimi-k3'), off)).toEqual({ mode: 'on', effort: 'low' });
  expect(resolveThinking(model('kimi-k2.7-code'), off)).toEqual({ mode: 'on' });
  expect(resolveThinking(model('glm-4-32b-0414-128k'), off)).toBeUndefined();
  expect(resolveThinking(model('glm-5.2'), { mode: 'on', effort: 'low' })).toEqual({
    mode: 'on',
    effort: 'high',
  });
  expect(resolveThinking(model('kimi-k3'), { mode: 'on', effort: 'medium' })).toEqual({
    mode: 'on',
    effort: 'low',
  });
  expect(resolveThinking(model('kimi-k2.6'), { mode: 'on', effort: 'max' })).toEqual({
    mode: 'on',
  });
  expect(resolveThinking(model('kimi-k3'), undefined)).toBeUndefined();
});

test('an option that cannot be applied is reported', () => {
  expect(thinkingNotices({ thinking: 'minimal' }, model('kimi-k3'))).toEqual([
    notice('model_always_thinks', { model: 'kimi-k3' }),
  ]);
  expect(thinkingNotices({ thinking: 'high' }, model('glm-4-32b-0414-128k'))).toEqual([
    notice('model_never_thinks', { model: 'glm-4-32b-0414-128k', thinking: 'high' }),
  ]);
  expect(thinkingNotices({}, model('kimi-k3'))).toEqual([]);
});
