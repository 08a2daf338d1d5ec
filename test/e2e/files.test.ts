import { expect, onTestFinished } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { png } from '../cases/provider-png.ts';
import { makePdf } from '../make-pdf.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

const PDF = makePdf('The pier was built in 1907.', 'It was closed in 1951.');
const PICTURE = png(4, 4);
const base64 = (content: Buffer) => content.toString('base64');

/** A folder that contains the home of the user is not open; the tests' own home would be in it. */
const AWAY = { HOME: '/var/empty' };

interface Envelope {
  readonly status: string;
  readonly detail?: string;
  readonly continuation?: { readonly id: string };
}

async function daemon(settings: Readonly<Record<string, string>> = {}) {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const home = createHome();
  const env = {
    GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
    GLM_API_KEY: 'emulated.secret0002',
    ...AWAY,
    ...settings,
  };
  let running = await home.serve([], { env });
  const call = async (args: object): Promise<Envelope> => {
    const line = ['call', 'chat', '--args', JSON.stringify(args), '--json'];
    const { stdout, stderr } = await home.exai(line, { env: AWAY });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as Envelope;
  };
  /** The bodies of the chats since the last look. */
  let seen = 0;
  const bodies = () => {
    const all = emulator.requests().filter(({ path }) => path.endsWith('/chat/completions'));
    const fresh = all.slice(seen).map(({ body }) => body);
    seen = all.length;
    return fresh;
  };
  const restart = async () => {
    running.kill('SIGTERM');
    await running.ended;
    running = await home.serve([], { env });
  };
  return { call, bodies, restart };
}

verifies(
  'files:kept',
  'the second question finds the picture and the inline file, also after a restart',
  async () => {
    const { call, bodies, restart } = await daemon();
    const first = await call({
      prompt: 'Say exactly: one',
      files: [{ filename: 'report.pdf', content: base64(PDF), mime_type: 'application/pdf' }],
      images: [{ filename: 'p.png', content: base64(PICTURE) }],
    });
    expect(first.status).toBe('success');
    bodies();
    await restart();
    const continuation_id = first.continuation?.id;
    const second = await call({ prompt: 'Say exactly: two', continuation_id });
    expect(second.status).toBe('success');
    const sent = JSON.stringify(bodies());
    expect(sent).toContain('It was closed in 1951.');
    expect(sent).toContain(base64(PICTURE));
  },
);

verifies(
  'files:secrets',
  'a key in a file is named by rule and line, and refused with block',
  async () => {
    const files = [{ name: 'deploy.sh', text: `one\nexport K=AKIA${'QWERTYUIOPASDFGH'}\n` }];
    const warned = await daemon();
    const answer = await warned.call({ prompt: 'Say exactly: ok', files });
    expect(answer.status).toBe('success');
    expect(answer.detail).toContain('in line 2');
    expect(answer.detail).not.toContain('QWERTY');
    const blocked = await daemon({ EXAI_FILES_SECRETS: 'block' });
    const refused = await blocked.call({ prompt: 'Say exactly: ok', files });
    expect(refused.status).toBe('error');
    expect(refused.detail).not.toContain('QWERTY');
    expect(blocked.bodies()).toEqual([]);
  },
);
