/** What the system knows of the service. */
export interface ServiceState {
  readonly enabled: boolean;
  readonly is: 'running' | 'starting' | 'stopped' | 'failed';
  /** Of its daemon, while there is one. */
  readonly pid?: number;
  /** In the system's own words. */
  readonly detail: string;
}

/** Whoever starts programs at login here, with the one service that is ours. */
export interface ServiceManager {
  readonly name: 'systemd' | 'launchd';
  /** Where the service is written. */
  readonly file: string;
  /** What is to stand there. */
  readonly text: string;
  /** What makes a service that is written known, for people to type. */
  installCommands(start: 'now' | 'at_login'): readonly string[];
  /** What makes the system forget one whose file is gone. */
  readonly removeCommands: readonly string[];
  /** Shows why the service does not run. */
  readonly logCommand: string;
  /** Has it read what is written. Throws when it cannot be reached. */
  refresh(): Promise<void>;
  enable(start: 'now' | 'at_login'): Promise<void>;
  /** Stops it as well, and waits for that. */
  disable(): Promise<void>;
  state(): Promise<ServiceState>;
  /** Links that `enable` made, for where it cannot be reached to undo it. */
  readonly links: readonly string[];
}
