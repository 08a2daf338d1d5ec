import { CallError } from '#core/errors/call-error.ts';
import { INSTALL_FFMPEG } from '#core/programs/install-ffmpeg.ts';
import { createMachineFfmpeg } from '../files/create-machine-ffmpeg.ts';
import { failedCheck, type RunCheck } from './check.ts';

/** The program that scales pictures. Everything else works without it. */
export const checkFfmpeg: RunCheck = async ({ loaded, system }) => {
  if (loaded instanceof CallError) return [];
  const check = { id: 'ffmpeg', title: 'ffmpeg' } as const;
  try {
    const file = await createMachineFfmpeg(loaded, system.clock).find();
    if (file !== undefined) return [{ ...check, status: 'ok', detail: file }];
    const detail = 'not installed: pictures over the limit of a provider are refused';
    return [{ ...check, status: 'off', detail, fix: INSTALL_FFMPEG }];
  } catch (thrown) {
    return [failedCheck(check, thrown)];
  }
};
