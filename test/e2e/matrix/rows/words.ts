/** What many rows say and look for. */
import { expect } from 'vitest';
import { retried } from '../../../eventually.ts';
import type { Answer, Peer, RequestOptions } from '../peer.ts';
import type { Context } from '../requirement.ts';
import { at, type Members, type Message } from '../rpc.ts';

export function call(
  peer: Peer,
  name: string,
  args: Members = {},
  options?: RequestOptions,
): Promise<Answer> {
  return peer.request('tools/call', { name, arguments: args }, options);
}

/** The text of a tool's answer that went well. */
export function textOf({ result, error }: Answer): string {
  expect(error).toBeUndefined();
  expect(result).toMatchObject({ content: [{ type: 'text' }] });
  expect(result).not.toHaveProperty('isError', true);
  return String(at(result, 'content.0.text'));
}

/** The words of a tool's answer that says what went wrong. */
export function failureOf({ result, error }: Answer): string {
  expect(error).toBeUndefined();
  expect(result).toMatchObject({ isError: true, content: [{ type: 'text' }] });
  return String(at(result, 'content.0.text'));
}

/** Looks again and again until it is so; what never is fails with what was seen last. */
export async function until<T>(look: () => T | Promise<T>, is: (seen: T) => void): Promise<void> {
  await retried(async () => is(await look()));
}

/** An error by its code, and by the status that HTTP wants for it. */
export function expectError(
  answer: Pick<Answer, 'error' | 'status'>,
  code: number,
  { transport }: Pick<Context, 'transport'>,
  status?: number,
): void {
  expect(answer.error).toMatchObject({ code, message: expect.stringMatching(/\S/) as string });
  expect(answer.error?.message).not.toMatch(/^\s+at |\.ts:\d|\.js:\d/m);
  if (status !== undefined) expect(answer.status).toBe(transport === 'http' ? status : undefined);
}

/** A list, and by what its entries are told apart. */
export interface List {
  readonly method: string;
  readonly member: string;
  readonly key: string;
}

export const TOOLS: List = { method: 'tools/list', member: 'tools', key: 'name' };
export const PROMPTS: List = { method: 'prompts/list', member: 'prompts', key: 'name' };
export const RESOURCES: List = { method: 'resources/list', member: 'resources', key: 'uri' };
const TEMPLATES: List = {
  method: 'resources/templates/list',
  member: 'resourceTemplates',
  key: 'uriTemplate',
};
export const LISTS = [TOOLS, PROMPTS, RESOURCES, TEMPLATES];

export function keysOf(list: List, answer: Answer): string[] {
  return entriesOf(list, answer).map((entry) => String(entry[list.key]));
}

export function entriesOf({ member }: List, { result, error }: Answer): readonly Members[] {
  expect(error).toBeUndefined();
  expect(result?.[member]).toBeInstanceOf(Array);
  return result?.[member] as readonly Members[];
}

export function byMethod(messages: readonly Message[], method: string): readonly Message[] {
  return messages.filter((message) => message.method === method);
}
