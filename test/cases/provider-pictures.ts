import { expect } from 'vitest';
import type { ChatPart } from '#core/llm/chat.ts';
import { verifies } from '../verifies.ts';
import { png } from './provider-png.ts';
import { user } from './provider-requests.ts';
import { type Suite } from './provider-suite.ts';

const BYTES = png(24, 16);
const PICTURE: readonly ChatPart[] = [
  { type: 'text', text: 'What do you see?' },
  { type: 'image', source: { base64: BYTES.toString('base64'), mediaType: 'image/png' } },
];
const SEEN = `I was given 1 image (image/png, ${BYTES.length} bytes, 24 x 16 pixels).`;

/** Pictures reach the models that read them, bytes and all, and no others. */
export function pictureCases({ subject, open, ask, answer }: Suite): void {
  const { seeing, blind, switches } = subject.pictures;

  if (seeing !== undefined)
    verifies('provider:cases', 'shows a picture to a model that reads pictures', async () => {
      Object.assign(open().emulator.switches[subject.vendor] ?? {}, switches);
      // Whether it sees was looked up before.
      if (switches) await open().provider.models?.(open().context());
      for (const delivery of ['whole', 'stream'] as const) {
        const { text } = await answer({ delivery, model: seeing, messages: user(PICTURE) });
        expect(text).toBe(SEEN);
      }
    });

  if (blind !== undefined)
    verifies('provider:bad-input', 'a picture for a text model is refused by name', async () => {
      await open().provider.models?.(open().context());
      const before = open().bodies().length;
      const outcome = await ask({ model: blind, messages: user(PICTURE) });
      expect(outcome).toMatchObject({
        is: 'failed',
        error: { class: 'bad_request', field: 'messages[0].content' },
      });
      expect(outcome.is === 'failed' && outcome.error.message).toMatch(/cannot take pictures/);
      expect(outcome.is === 'failed' && outcome.error.fix).toMatch(/[Mm]odel/);
      expect(open().bodies()).toHaveLength(before);
    });
}
