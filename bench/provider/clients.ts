import { createAiSdk } from './ai-sdk-client.ts';
import { createFloor } from './floor-client.ts';
import { createOpenAiSdk } from './openai-sdk-client.ts';
import { createProviderClient } from './provider-client.ts';
import type { Client } from './protocol.ts';
import { createWireClient } from './wire-client.ts';

/** The floor first: everybody is compared with it. */
export const CLIENTS = {
  floor: createFloor,
  wire: createWireClient,
  kimi: createProviderClient,
  openai: createOpenAiSdk,
  ai: createAiSdk,
} as const satisfies Record<string, (url: string) => Client>;

export type ClientName = keyof typeof CLIENTS;
