import { describe, expect } from 'vitest';
import type { ChatRequest, ChatTool } from '#core/llm/chat.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { verifies } from '../../../test/verifies.ts';
import { requestFor, useGlmWorld } from './glm.fixture.ts';

const world = useGlmWorld();

const add: ChatTool = { name: 'add', description: 'Adds.', parameters: { type: 'object' } };

describe('bad input', () => {
  const refused = async (request: ChatRequest, expected: object) => {
    expect(await world.ask(request)).toMatchObject({
      is: 'failed',
      error: { provider: 'glm', ...expected },
    });
    expect(world.emulator.requests()).toEqual([]);
  };

  verifies('provider:bad-input', 'glm: an unknown model is refused with the nearest name', () =>
    refused(requestFor('glm-4.66', 'Hi'), {
      class: 'not_found',
      message: expect.stringContaining('glm-4.6'),
    }),
  );
  verifies('provider:bad-input', 'glm: a model of another provider is refused', () =>
    refused(requestFor('kimi-k3', 'Hi'), { class: 'not_found' }),
  );
  verifies('provider:bad-input', 'glm: a picture for a text model is refused', () =>
    refused(
      requestFor('glm-4.6', '', {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image', source: { url: 'https://a.example/x.png' } }],
          },
        ],
      }),
      { class: 'bad_request', field: 'messages[0].content' },
    ),
  );
  verifies('provider:bad-input', 'glm: 200 tools are refused', () =>
    refused(
      requestFor('glm-4.6', 'Hi', {
        tools: Array.from({ length: 200 }, (_, at) => ({ ...add, name: `t${at}` })),
      }),
      {
        class: 'validation',
        field: 'tools',
      },
    ),
  );
  verifies('provider:bad-input', 'glm: an empty message is refused', () =>
    refused(requestFor('glm-4.6', ' '), { class: 'validation', field: 'messages[0].content' }),
  );
  verifies('provider:bad-input', 'glm: a second stop text is refused', () =>
    refused(requestFor('glm-4.6', 'Hi', { stop: ['a', 'b'] }), {
      class: 'validation',
      field: 'stop',
    }),
  );
  verifies('provider:bad-input', 'glm: messages of system and assistant alone are refused', () =>
    refused(
      requestFor('glm-4.6', '', {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'assistant', content: 'Yes.' },
        ],
      }),
      { class: 'validation', field: 'messages' },
    ),
  );
  verifies('provider:bad-input', 'glm: a prefix to continue is refused', () =>
    refused(
      requestFor('glm-4.6', '', {
        messages: [
          { role: 'user', content: 'Count.' },
          { role: 'assistant', content: 'One, ' },
        ],
        continuation: 'prefix',
      }),
      { class: 'validation', field: 'continuation' },
    ),
  );

  verifies('provider:bad-input', 'glm: no key says what to set and where to get one', async () => {
    const { ask } = world.with({ key: createSecret('') });
    expect(await ask(requestFor('glm-4.6', 'Hi'))).toMatchObject({
      is: 'failed',
      error: {
        class: 'not_configured',
        fix: 'Add a key with: exai keys add glm, or set GLM_API_KEY. Get one at https://z.ai/manage-apikey/apikey-list.',
      },
    });
    expect(world.emulator.requests()).toEqual([]);
  });

  verifies('provider:bad-input', 'glm: a wrong key is never shown', async () => {
    const key = 'wrong0123456789.secret-of-mine';
    const { ask } = world.with({ key: createSecret(key) });
    const outcome = await ask(requestFor('glm-4.6', 'Hi'));
    expect(outcome).toMatchObject({ is: 'failed', error: { class: 'auth' } });
    expect(JSON.stringify(outcome)).not.toContain('secret-of-mine');
  });
});
