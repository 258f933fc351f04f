export { runCommandLine } from './cli/program.ts';
export { type Config, ConfigFile, environmentVariables, loadConfig, SiteConfig } from './config.ts';
export { createLogger, type LoggerOptions } from './telemetry.ts';
