import type { InitClient } from '../client.ts';
import { augment } from './augment.ts';
import { claudeCode } from './claude-code.ts';
import { claudeDesktop } from './claude-desktop.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { cursor } from './cursor.ts';
import { geminiCli } from './gemini-cli.ts';
import { opencode } from './opencode.ts';
import { vscodeInsiders } from './vscode-insiders.ts';
import { vscode } from './vscode.ts';
import { windsurf } from './windsurf.ts';
import { zed } from './zed.ts';

/** Every client whose settings are known, in the order in which they are shown. */
export const INIT_CLIENTS: readonly InitClient[] = [
  claudeCode,
  claudeDesktop,
  vscode,
  vscodeInsiders,
  cursor,
  windsurf,
  codex,
  geminiCli,
  opencode,
  zed,
  cline,
  augment,
];
