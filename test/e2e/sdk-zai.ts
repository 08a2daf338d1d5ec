/**
 * Z.ai's own MCP server, as it is published: it calls GLM's API, and here the emulator is that API.
 */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SDKS } from './sdk-run.ts';

/** 2 × 3 pixels. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAEUlEQVR4nGP4z8DwnwGMERQARNAF+7BYSawAAAAASUVORK5CYII=';

export interface ZaiRun {
  readonly tools: readonly string[];
  readonly text: string;
  readonly isError: boolean;
  readonly ms: number;
}

export async function runZaiServer(emulator: string, key: string): Promise<ZaiRun> {
  const home = mkdtempSync(join(tmpdir(), 'exai-zai-'));
  const picture = join(home, 'picture.png');
  writeFileSync(picture, Buffer.from(PNG, 'base64'));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(SDKS, 'node_modules/@z_ai/mcp-server/build/index.js')],
    cwd: home,
    stderr: 'ignore',
    // A mode, whichever it is, would take the place of the address; the path is joined without a
    // slash of its own.
    env: {
      HOME: home,
      Z_AI_BASE_URL: `${emulator}/glm/api/paas/v4/`,
      Z_AI_API_KEY: key,
    },
  });
  const client = new Client({ name: 'exai-e2e', version: '1' });
  const startedAt = performance.now();
  try {
    await client.connect(transport);
    const { tools } = await client.listTools();
    const { content, isError } = await client.callTool({
      name: 'analyze_image',
      arguments: { image_source: picture, prompt: 'What is in this picture?' },
    });
    const [first] = content as readonly { readonly text?: string }[];
    return {
      tools: tools.map(({ name }) => name),
      text: first?.text ?? '',
      isError: isError === true,
      ms: Math.round(performance.now() - startedAt),
    };
  } finally {
    await client.close();
    rmSync(home, { recursive: true, force: true });
  }
}
