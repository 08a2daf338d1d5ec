import { expect } from 'vitest';
import { answerTurn, withHistory } from '#tools/shared/thread-io.ts';
import { askSuite } from '../cases/ask-suite.ts';
import { openThreads } from '../open-threads.ts';
import { verifies } from '../verifies.ts';

const suite = askSuite({ providers: ['kimi'] });

/** The switches of the emulated Kimi. */
const kimi = () => suite.harness().emulator.switches['kimi'] ?? {};

verifies(
  'threads:reasoning',
  'three turns with Kimi K3 carry every thought, also where the vendor requires them',
  async () => {
    const rig = await suite.rig();
    Object.assign(kimi(), { preservedThinking: 'required' });
    const opened = await openThreads();
    try {
      let id: string | undefined;
      const thoughts: string[] = [];
      for (const words of ['What is 2 + 3?', 'What is 4 + 5?', 'What is 6 + 7?']) {
        const thread = await opened.threads.open({ principal: 'local', about: words, id });
        const content = words;
        const request = { model: 'kimi-k3', messages: [{ role: 'user' as const, content }] };
        const { answer, error } = await rig.ask(withHistory(request, thread));
        expect(error).toBeUndefined();
        if (!answer) throw new Error('There is no answer.');
        expect(answer).toMatchObject({ model: 'kimi-k3', provider: 'kimi' });
        thoughts.push(answer.reasoning);
        await thread.append(
          [
            { role: 'user', tool: 'chat', content },
            answerTurn('chat', `Answer: ${answer.text}`, answer),
          ],
          { model: answer.model },
        );
        id = thread.id;
      }
      const sent = rig.chats('kimi').map(({ body }) => (body as { messages: object[] }).messages);
      const kept = sent
        .at(-1)
        ?.flatMap((message) => ('reasoning_content' in message ? [message.reasoning_content] : []));
      expect(thoughts.every((text) => text !== '')).toBe(true);
      expect(kept).toEqual(thoughts.slice(0, 2));
    } finally {
      await opened.close();
    }
  },
);

verifies(
  'provider:facts',
  'Kimi K2 line: an account to which it is closed is answered by another model at once, which is remembered',
  async () => {
    const rig = await suite.rig();
    Object.assign(kimi(), { k2Line: 'closed' });
    const request = { messages: [{ role: 'user' as const, content: 'Say exactly: hello' }] };
    const models = async () => {
      const { answer } = await rig.ask(request);
      const asked = rig.chats('kimi').map(({ body }) => (body as { model: string }).model);
      return [answer?.model, asked.filter((model) => model === 'kimi-k2.6').length];
    };
    expect(await models()).toEqual(['kimi-k3', 1]);
    expect(await models()).toEqual(['kimi-k3', 1]);
  },
);
