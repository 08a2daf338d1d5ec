import { VERSION } from '#core/version.ts';
import { placeOf } from '../daemon-file.ts';
import type { Examine } from './check.ts';

export const daemon: Examine = ({ daemon: state, readiness }) => {
  const check = { id: 'daemon', title: 'Daemon' } as const;
  switch (state.is) {
    case 'absent':
      return [{ ...check, status: 'off', detail: 'not running', fix: 'exai serve' }];
    case 'between':
      return [
        { ...check, status: 'warn', detail: 'just starting or stopping', fix: 'exai status' },
      ];
    case 'running': {
      const { version } = state.record;
      const place = placeOf(state.record);
      if (!readiness?.ready) {
        const detail = `at ${place}, not ready: ${readiness?.reason}`;
        return [{ ...check, status: 'fail', detail, fix: 'exai logs' }];
      }
      if (version !== VERSION) {
        const detail = `at ${place}, version ${version}, while this is ${VERSION}`;
        return [{ ...check, status: 'warn', detail, fix: 'exai stop && exai serve' }];
      }
      return [{ ...check, status: 'ok', detail: `ready at ${place}` }];
    }
  }
};
