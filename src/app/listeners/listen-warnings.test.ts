import { expect, test } from 'vitest';
import { baseRenderer } from '#core/messages/render.ts';
import { listenWarnings, plaintextWarning, portTakenNotice } from './listen-warnings.ts';

test.each([
  [{ url: 'http://127.0.0.1:8765', host: '127.0.0.1' }, 0],
  [{ url: 'http://[::1]:8765', host: '::1' }, 0],
  [{ url: 'https://exai.test:8765', host: '0.0.0.0' }, 0],
  [{}, 0],
  [{ url: 'http://0.0.0.0:8765', host: '0.0.0.0' }, 1],
  [{ url: 'http://[::]:8765', host: '::' }, 1],
  [{ url: 'http://192.168.1.5:8765', host: '192.168.1.5' }, 1],
])('%j has %i warnings about plain text', (record, count) => {
  const warnings = plaintextWarning(record);
  expect(warnings).toHaveLength(count);
  for (const { message, fix } of warnings) {
    expect(message).toContain('The token and prompts travel unencrypted');
    expect(fix).toContain('tls.cert');
  }
});

test('a warning about a port held by another program names the risk for clients, the port in use and the fix', () => {
  const portTaken = { port: 8765, holder: { uid: 4_000_000, pid: 812, program: 'python3' } };
  const [warning] = listenWarnings({
    url: 'http://127.0.0.1:46179',
    host: '127.0.0.1',
    portTaken,
  });
  expect(warning?.message).toContain('Port 8765 belongs to python3 (pid 812) of uid 4000000');
  expect(warning?.message).toContain('EX-AI listens at http://127.0.0.1:46179 instead');
  expect(warning?.message).toContain('http://127.0.0.1:8765 talk to that program');
  expect(warning?.fix).toContain('EXAI_PORT');
  const text = baseRenderer.notice(portTakenNotice(portTaken, 'http://127.0.0.1:46179'));
  expect(text).toBe(`${warning?.message} ${warning?.fix}.`);
});
