try:
    from casmopolitan.study import CasmopolitanSampler
except ImportError as error:
    raise ModuleNotFoundError("This sampler needs casmopolitan: pip install 'casmopolitan[sampler]'") from error


__all__ = ["CasmopolitanSampler"]
