import { vscodeClient } from './vscode-family.ts';

export const vscodeInsiders = vscodeClient(
  'vscode-insiders',
  'VS Code Insiders',
  'Code - Insiders',
);
