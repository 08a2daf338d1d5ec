/** The SDKs of OpenAI and Anthropic in a real browser, on pages of other origins. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'esbuild';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { findChromium } from '../../scripts/system-programs.ts';
import { verifies } from '../verifies.ts';
import { CLIENT_MS } from './gateway-driver.ts';
import { openGatewayHarness, type GatewayHarness } from './gateway-harness.ts';

const executablePath = findChromium();
const SDKS = 'test/tools/sdks';
const TOKEN = 'Ow7Kd2Xm9Qv4Tz8Rb1Nc6Lp3Hs5-owner';

/** What runs in the page, with the SDKs as its authors publish them. */
const PAGE_SCRIPT = `
  import OpenAI from 'openai';
  import Anthropic from '@anthropic-ai/sdk';
  const ask = 'Say exactly: Hello';
  window.run = async (name, url, apiKey) => {
    const options = { apiKey, maxRetries: 0, dangerouslyAllowBrowser: true };
    const openai = new OpenAI({ ...options, baseURL: url + '/v1' });
    const anthropic = new Anthropic({ ...options, baseURL: url });
    const messages = [{ role: 'user', content: ask }];
    const runs = {
      async chat() {
        const { data, response } = await openai.chat.completions
          .create({ model: 'auto', messages, stream: true }, { headers: { 'x-exai-prefer': 'cost' } })
          .withResponse();
        let text = '';
        for await (const { choices } of data) text += choices[0]?.delta?.content ?? '';
        return [text, response.headers.get('x-exai-provider'), response.headers.get('x-request-id')];
      },
      async responses() {
        const options = { idempotencyKey: 'page' };
        const { output_text: text, id } = await openai.responses.create({ model: 'auto', input: ask }, options);
        await openai.responses.delete(id);
        return text;
      },
      async messages() {
        const stream = anthropic.beta.messages.stream({
          model: 'auto', max_tokens: 100, messages, betas: ['context-management-2025-06-27'],
        });
        const text = await stream.finalText();
        return [text, stream.request_id];
      },
      async failure() {
        const failed = await openai.models.retrieve('no-such-model').catch((error) => error);
        return [failed.status, failed.code, failed.requestID];
      },
    };
    try {
      return { value: await runs[name]() };
    } catch (error) {
      return { threw: error.constructor.name + ': ' + error.message };
    }
  };
`;

let harness: GatewayHarness;
let browser: Browser;
let allowed: Server;
let foreign: Server;

beforeAll(async () => {
  if (!executablePath) return;
  const bundle = await build({
    stdin: { contents: PAGE_SCRIPT, resolveDir: SDKS },
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    logLevel: 'silent',
  });
  const script = bundle.outputFiles[0]?.text ?? '';
  [allowed, foreign] = [await servePage(script), await servePage(script)];
  harness = await openGatewayHarness({
    env: { EXAI_AUTH_REQUIRE_TOKEN: 'true', EXAI_TOKEN: TOKEN },
    config: { listener: { origins: [originOf(allowed)] } },
  });
  browser = await chromium.launch({ executablePath });
}, CLIENT_MS);

afterAll(async () => {
  await browser?.close();
  await harness?.close();
  for (const server of [allowed, foreign]) server?.close();
});

async function servePage(script: string): Promise<Server> {
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><script src="/page.js"></script>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function inPage(server: Server, name: string): Promise<unknown> {
  const page: Page = await browser.newPage();
  try {
    await page.goto(originOf(server));
    const args = [name, harness.url, TOKEN];
    return await page.evaluate(([run, ...rest]) => {
      const { run: start } = globalThis as unknown as {
        run: (...all: readonly (string | undefined)[]) => Promise<unknown>;
      };
      return start(run, ...rest);
    }, args);
  } finally {
    await page.close();
  }
}

const REQUEST_ID: unknown = expect.stringMatching(/^req_/);

describe.skipIf(!executablePath)('a page in Chromium', () => {
  verifies(
    'gateway:cors',
    'an allowed origin can use both SDKs, and read their headers',
    async () => {
      expect(await inPage(allowed, 'chat')).toEqual({
        value: ['Hello', expect.stringMatching(/^(?:kimi|glm)$/), REQUEST_ID],
      });
      expect(await inPage(allowed, 'responses')).toEqual({ value: 'Hello' });
      expect(await inPage(allowed, 'messages')).toEqual({ value: ['Hello', REQUEST_ID] });
      expect(await inPage(allowed, 'failure')).toEqual({
        value: [404, 'model_not_found', REQUEST_ID],
      });
    },
  );

  verifies(
    'gateway:cors',
    'another origin cannot, and no request of it reaches a model',
    async () => {
      const before = harness.emulator.requests({}).length;
      for (const name of ['chat', 'responses', 'messages']) {
        expect(await inPage(foreign, name)).toEqual({
          threw: expect.stringMatching(/: Connection error\.$/) as string,
        });
      }
      expect(harness.emulator.requests({})).toHaveLength(before);
    },
  );
});
