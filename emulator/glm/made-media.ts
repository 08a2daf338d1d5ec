import { isObject } from '../is-object.ts';
import type { GlmError } from './errors.ts';

/** Pictures and videos that the vendor makes: addresses, by what was asked for. */
export function readPrompt(
  json: unknown,
): { readonly model: string; readonly prompt: string } | { readonly error: GlmError } {
  if (!isObject(json)) return { error: { code: '1210' } };
  const { model, prompt } = json;
  if (typeof model !== 'string') return { error: { code: '1213', about: 'model' } };
  if (!/^(glm-image|cogview|cogvideox|vidu)/.test(model)) return { error: { code: '1211' } };
  if (typeof prompt !== 'string' || prompt === '')
    return { error: { code: '1213', about: 'prompt' } };
  return { model, prompt };
}

const nameOf = (prompt: string): string => encodeURIComponent(prompt.slice(0, 40).toWellFormed());

export const imageUrl = (prompt: string): string => `https://made.example/${nameOf(prompt)}.png`;

export const videoOf = (prompt: string): object => ({
  url: `https://made.example/${nameOf(prompt)}.mp4`,
  cover_image_url: `https://made.example/${nameOf(prompt)}.jpg`,
});
