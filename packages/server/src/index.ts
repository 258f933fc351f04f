export { type Config, ConfigFile, environmentVariables, loadConfig, SiteConfig } from './config.ts';
