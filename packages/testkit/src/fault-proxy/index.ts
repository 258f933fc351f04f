export { type FaultProxy, type PassingCall, type ProxyFault, startFaultProxy } from './fault-proxy.ts';
