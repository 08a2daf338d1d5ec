import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

const PAGE = `<html><head><title>Harbour</title></head><body><nav><a href="/x">Menu</a></nav>
<article><h1>Harbour</h1><p>${'The harbour of Bergen was founded in 1070, and it rains there. '.repeat(12)}</p>
<pre><code class="language-sh">ls  -l</code></pre></article></body></html>`;

verifies('extract:read', 'a file and standard input are read without a daemon', async () => {
  const { exai, path } = createHome();
  writeFileSync(path('page.html'), PAGE);
  const file = await exai(['read', path('page.html')], { env: { EXAI_AUTOSTART: 'false' } });
  expect(file).toMatchObject({ code: 0 });
  expect(file.stdout).toContain('founded in 1070');
  expect(file.stdout).toContain('```sh\nls  -l\n```');
  expect(file.stdout).not.toContain('Menu');
  const piped = await exai(['read', '-', '--json'], {
    env: { EXAI_AUTOSTART: 'false' },
    input: PAGE,
  });
  expect(JSON.parse(piped.stdout)).toMatchObject({
    source: 'stdin',
    document: { format: 'html', page: { title: 'Harbour' } },
  });
  const to = path('page.md');
  expect(await exai(['read', path('page.html'), '--to', to])).toMatchObject({
    code: 0,
    stdout: '',
  });
  expect(readFileSync(to, 'utf8')).toContain('founded in 1070');
  expect((await exai(['read', path('page.html'), '--to', to])).code).not.toBe(0);
  expect(await exai(['read', path('none.html')])).toMatchObject({ code: 6, stdout: '' });
});

verifies(
  'extract:read',
  'a URL is read by the daemon, and the second time from its cache',
  async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/page`;
    const { exai } = createHome();
    try {
      const refused = await exai(['read', url]);
      expect(refused.code).not.toBe(0);
      expect(requests).toBe(0);
      await exai(['stop']);
      const env = { EXAI_NETWORK_ALLOW_PRIVATE: `127.0.0.1:${port}` };
      const first = await exai(['read', url], { env });
      expect(first).toMatchObject({ code: 0 });
      expect(first.stdout).toContain('founded in 1070');
      const second = await exai(['read', url, '--json'], { env });
      expect(JSON.parse(second.stdout)).toMatchObject({ url, source: 'cache' });
      expect(requests).toBe(1);
    } finally {
      await exai(['stop']);
      server.close();
    }
  },
);
