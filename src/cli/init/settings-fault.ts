export interface FaultPosition {
  readonly line: number;
  readonly column: number;
}

/** Why a settings file cannot be read or changed; whoever knows the file makes an error of it. */
export class SettingsFault extends Error {
  readonly position: FaultPosition | undefined;

  constructor(reason: string, position?: FaultPosition) {
    super(reason);
    this.position = position;
  }
}
