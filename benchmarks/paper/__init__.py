"""The paper's figures and tables from runs on this machine: `python -m benchmarks paper NAME --scale quick|half|full`."""
