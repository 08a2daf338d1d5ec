import type { Dictionary } from '../is-object.ts';
import { invalid } from './errors.ts';
import type { KimiFamily } from './models.ts';

const FIXED: ReadonlySet<KimiFamily> = new Set(['k2.5', 'k2.6', 'k2.7', 'k3']);

/**
 * What may be sent beside the messages to steer the draw: free within ranges for older families,
 * fixed for newer ones.
 */
export function checkSampling(body: Dictionary, family: KimiFamily, thinking: 'on' | 'off'): void {
  if (FIXED.has(family)) checkFixed(body, family, thinking);
  else checkRanges(body, family);
}

function checkFixed(body: Dictionary, family: KimiFamily, thinking: 'on' | 'off'): void {
  const isCool = thinking === 'off' && (family === 'k2.5' || family === 'k2.6');
  checkOnly(body, 'temperature', isCool ? 0.6 : 1);
  checkOnly(body, 'top_p', 0.95);
  checkOnly(body, 'n', 1);
  checkOnly(body, 'presence_penalty', 0);
  checkOnly(body, 'frequency_penalty', 0);
}

function checkOnly(body: Dictionary, name: string, value: number): void {
  if (isSent(body, name) && body[name] !== value)
    throw invalid(`invalid ${name}: only ${value} is allowed for this model`);
}

function checkRanges(body: Dictionary, family: KimiFamily): void {
  checkRange(body, 'temperature', 0, 1);
  checkRange(body, 'top_p', 0, 1);
  checkRange(body, 'presence_penalty', -2, 2);
  checkRange(body, 'frequency_penalty', -2, 2);
  checkRange(body, 'n', 1, 5);
  const { n } = body;
  if (isSent(body, 'n') && !Number.isInteger(n))
    throw invalid('Invalid request: n must be an integer');
  const temperature = body['temperature'] ?? (family === 'v1' ? 0 : 1);
  if (family === 'v1' && Number(n ?? 1) > 1 && Number(temperature) < 0.3)
    throw invalid('Invalid request: n must be 1 when temperature is close to 0');
}

function checkRange(body: Dictionary, name: string, least: number, most: number): void {
  const value = body[name];
  if (!isSent(body, name)) return;
  if (typeof value !== 'number' || !(value >= least && value <= most))
    throw invalid(`Invalid request: ${name} must be between ${least} and ${most}`);
}

const isSent = (body: Dictionary, name: string): boolean =>
  body[name] !== undefined && body[name] !== null;
