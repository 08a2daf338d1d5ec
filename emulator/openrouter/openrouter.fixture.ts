import { user, useEmulator, type Answered, type Client } from '../client.fixture.ts';
import { createOpenRouter } from './openrouter.ts';

export const BASE = '/openrouter/api/v1';

type Headers = Record<string, string>;

export interface RouterClient {
  readonly router: Client;
  readonly chat: (body?: object, headers?: Headers) => Promise<Answered>;
  readonly faulty: (fault: string, body?: object) => Promise<Answered>;
  readonly set: (name: string, value: unknown) => void;
}

/** The emulated OpenRouter for the tests of a file, as new before each of them. */
export function useOpenRouter(): RouterClient {
  const router = useEmulator(() => [createOpenRouter()], {
    authorization: 'Bearer sk-or-emulated',
  });
  const chat = (body: object = {}, headers: Headers = {}): Promise<Answered> =>
    router.post(
      `${BASE}/chat/completions`,
      { model: 'z-ai/glm-5.3', messages: [user('What is 2 + 3?')], ...body },
      headers,
    );
  return {
    router,
    chat,
    faulty: (fault, body = {}) => chat(body, { 'x-emulate-fault': fault }),
    set(name, value) {
      router.emulator.switches['openrouter']![name] = value;
    },
  };
}
