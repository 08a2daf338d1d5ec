import { user, useEmulator, type Answered, type Client } from '../client.fixture.ts';
import { createGlm } from './glm.ts';

export const BASE = '/glm/api/paas/v4';
export const KEY = { authorization: 'Bearer emulated.secret', 'accept-language': 'en-US,en' };

export interface GlmClient {
  readonly glm: Client;
  readonly chat: (body: object, headers?: Record<string, string>) => Promise<Answered>;
  readonly set: (name: string, value: unknown) => void;
}

/** The emulated GLM for the tests of a file, as new before each of them. */
export function useGlm(): GlmClient {
  const glm = useEmulator(() => [createGlm()], KEY);
  return {
    glm,
    chat: (body, headers) =>
      glm.post(
        `${BASE}/chat/completions`,
        { model: 'glm-4.6', messages: [user('What is 2 + 3?')], ...body },
        headers,
      ),
    set(name, value) {
      glm.emulator.switches['glm']![name] = value;
    },
  };
}
