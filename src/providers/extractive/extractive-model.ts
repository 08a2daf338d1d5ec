import type { Model } from '#models/model.ts';

/** The extractive provider as a model: text in, a short text out. */
export const EXTRACTIVE_MODEL: Model = {
  id: 'local-extract',
  provider: 'extractive',
  title: 'Local extract',
  state: 'live',
  aliases: [],
  contextTokens: 2_500_000,
  maxOutputTokens: 2_000,
  price: { input: 0, cached: 0, output: 0 },
  input: ['text', 'file'],
  tools: 'no',
  toolChoice: 'auto',
  json: 'none',
  thinking: { control: 'never', default: 'off', efforts: [], keeps: false },
  sampling: { temperature: 'fixed', topP: 'fixed', penalties: 'fixed' },
  maxStops: 16,
  maxTools: 0,
  confidence: 'high',
};
